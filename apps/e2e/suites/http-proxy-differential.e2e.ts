import { mkdirSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { requireTools, type RunningProcess, startProcess, tempFolder } from '@annex/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { annexCommand } from '../runners/annex-command.ts';
import type { Runner } from '../runners/runner.ts';
import { startSingle } from '../runners/single-runner.ts';

/** A request as bytes, and what becomes of it in kubectl proxy and in annex proxy. */
type Case = readonly [sentence: string, head: string, body?: string];

const suite = 'annex proxy responds as kubectl proxy';
const local = 'Host: localhost';
const chunked = (body: string): string => `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
const configMaps = '/api/v1/namespaces/default/configmaps';
const options = '{"kind":"DeleteOptions","apiVersion":"v1"}';

const plain: readonly Case[] = [
  ['the versions of the API', `GET /api HTTP/1.1\n${local}`],
  ['the versions of the API with a slash', `GET /api/ HTTP/1.1\n${local}`],
  ['a list', `GET ${configMaps}?limit=1 HTTP/1.1\n${local}`],
  ['HEAD', `HEAD /version HTTP/1.1\n${local}`],
  ['OPTIONS', `OPTIONS /version HTTP/1.1\n${local}`],
  ['a method that the API does not have', `PROPFIND /version HTTP/1.1\n${local}`],
  ['a path that does not exist', `GET /nothing HTTP/1.1\n${local}`],
  ['the root', `GET / HTTP/1.1\n${local}`],
  ['an empty segment', `GET //version HTTP/1.1\n${local}`],
  ['a dot segment', `GET /api/../version HTTP/1.1\n${local}`],
  ['a dot segment with a query', `GET /api/./v1?limit=1 HTTP/1.1\n${local}`],
  ['an invalid escape', `GET /%zz HTTP/1.1\n${local}`],
  ['an encoded name', `GET /api/v1/namespaces/%64efault HTTP/1.1\n${local}`],
  ['an encoded slash', `GET /api/v1/namespaces/default%2Fpods HTTP/1.1\n${local}`],
  ['exec', `GET /api/v1/namespaces/default/pods/x/exec HTTP/1.1\n${local}`],
  ['exec with an encoded slash', `GET /api/v1/namespaces/default/pods/x%2Fexec HTTP/1.1\n${local}`],
  ['attach', `POST /api/v1/namespaces/default/pods/x/attach HTTP/1.1\n${local}\nContent-Length: 0`],
  ['port-forward', `GET /api/v1/namespaces/default/pods/x/portforward HTTP/1.1\n${local}`],
  ['the name of another host', 'GET /version HTTP/1.1\nHost: rebound.example'],
  ['the name of another host with a port', 'GET /version HTTP/1.1\nHost: rebound.example:8001'],
  ['an address of this machine with a port', 'GET /version HTTP/1.1\nHost: 127.0.0.1:8001'],
  ['an IPv6 address of this machine', 'GET /version HTTP/1.1\nHost: [::1]'],
  ['an IPv6 address of this machine with a port', 'GET /version HTTP/1.1\nHost: [::1]:8001'],
  ['a URL of this machine', 'GET http://localhost:1/version HTTP/1.1\nHost: rebound.example'],
  ['a URL of another host', `GET http://rebound.example/version HTTP/1.1\n${local}`],
  ['a URL without a host', `GET http:///version HTTP/1.1\n${local}`],
  ['a path with two slashes and a host', `GET //rebound.example/version HTTP/1.1\n${local}`],
  ['HTTP/2.0', `GET /version HTTP/2.0\n${local}`],
  ['OPTIONS of the server', `OPTIONS * HTTP/1.1\n${local}`],
  ['GET of the server', `GET * HTTP/1.1\n${local}`],
  [
    'a body with two encodings',
    `POST ${configMaps} HTTP/1.1\n${local}\nTransfer-Encoding: gzip, chunked`,
    chunked('{}'),
  ],
  ['no host', 'GET /version HTTP/1.0'],
  ['no host in HTTP/1.1', 'GET /version HTTP/1.1'],
  ['two hosts', `GET /version HTTP/1.1\n${local}\n${local}`],
  ['a host that is malformed', 'GET /version HTTP/1.1\nHost: user@localhost'],
  ['a header without a colon', `GET /version HTTP/1.1\n${local}\nX-A`],
  ['a path with a space', `GET /a b HTTP/1.1\n${local}`],
  ['a redirect of a change', `PATCH /api/../version HTTP/1.1\n${local}`],
  ['the token of the client', `GET /version HTTP/1.1\n${local}\nAuthorization: Bearer wrong`],
  [
    'headers of one connection',
    `GET /version HTTP/1.1\n${local}\nConnection: x-a, close\nX-A: b\nTE: trailers`,
  ],
  [
    'a body with a length',
    `POST ${configMaps}?dryRun=All HTTP/1.1\n${local}\nContent-Type: application/json\nContent-Length: 25`,
    '{"metadata":{"name":"a"}}',
  ],
  [
    'a body in chunks',
    `POST ${configMaps}?dryRun=All HTTP/1.1\n${local}\nContent-Type: application/json\nTransfer-Encoding: chunked`,
    chunked('{"metadata":{"name":"a"}}'),
  ],
  [
    'a DELETE with a body in chunks',
    `DELETE ${configMaps}/none HTTP/1.1\n${local}\nContent-Type: application/json\nTransfer-Encoding: chunked`,
    chunked(options),
  ],
  ['an impersonated user', `GET ${configMaps} HTTP/1.1\n${local}\nImpersonate-User: nobody`],
  [
    'a WebSocket to a path without one',
    `GET /version HTTP/1.1\n${local}\nConnection: Upgrade\nUpgrade: websocket`,
  ],
  [
    'a WebSocket that is refused here',
    `GET /api/v1/namespaces/default/pods/x/exec HTTP/1.1\n${local}\nConnection: Upgrade\nUpgrade: websocket`,
  ],
  [
    'SPDY to a pod that does not exist',
    `POST /api/v1/namespaces/default/pods/x/portforward HTTP/1.1\n${local}\nConnection: Upgrade\nUpgrade: SPDY/3.1\nContent-Length: 0`,
  ],
];

const withFiles: readonly Case[] = [
  ['a folder', `GET /www/ HTTP/1.1\n${local}`],
  ['a folder without its slash', `GET /www HTTP/1.1\n${local}`],
  ['a file', `GET /www/a.txt HTTP/1.1\n${local}`],
  ['HEAD of a file', `HEAD /www/a.txt HTTP/1.1\n${local}`],
  ['a part of a file', `GET /www/a.txt HTTP/1.1\n${local}\nRange: bytes=1-2`],
  ['a part beyond a file', `GET /www/a.txt HTTP/1.1\n${local}\nRange: bytes=100-`],
  ['a file with a slash', `GET /www/a.txt/ HTTP/1.1\n${local}`],
  ['an inner folder without its slash', `GET /www/inner HTTP/1.1\n${local}`],
  ['the index of an inner folder', `GET /www/inner/ HTTP/1.1\n${local}`],
  ['the file of an index', `GET /www/inner/index.html HTTP/1.1\n${local}`],
  ['a file that does not exist', `GET /www/none HTTP/1.1\n${local}`],
  ['a path outside of the folder', `GET /www/../../etc/passwd HTTP/1.1\n${local}`],
  ['files for the name of another host', 'GET /www/a.txt HTTP/1.1\nHost: rebound.example'],
  ['the API below its prefix', `GET /k8s/version HTTP/1.1\n${local}`],
  ['the prefix without its slash', `GET /k8s?a=b HTTP/1.1\n${local}`],
  ['a path beside the prefixes', `GET /version HTTP/1.1\n${local}`],
  ['a path that is not accepted', `GET /k8s/apis HTTP/1.1\n${local}`],
  ['a method that is rejected', `DELETE /k8s/api/v1/pods HTTP/1.1\n${local}`],
  ['any host that is accepted', 'GET /k8s/version HTTP/1.1\nHost: any.example'],
];

const besideApi: readonly Case[] = [
  ['the folder without its slash', `GET /static?a=b HTTP/1.1\n${local}`],
  ['a file', `GET /static/a.txt HTTP/1.1\n${local}`],
  ['the API', `GET /api HTTP/1.1\n${local}`],
];

/** Headers that differ between two runs of one server. */
const volatile =
  /^(?:date|audit-id|connection|keep-alive|transfer-encoding|content-length|vary|x-content-type-options|accept-ranges): /i;

/** Returns the status line, the headers and the body, without what differs between two runs. */
async function exchange(port: number, [, head, body = '']: Case): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  const close = /^Connection:/m.test(head) ? '' : '\r\nConnection: close';
  socket.write(`${head.replaceAll('\n', '\r\n')}${close}\r\n\r\n${body}`);
  const response = await whole(socket);
  const [top = '', ...rest] = response.split('\r\n\r\n');
  const [status = '', ...lines] = top.split('\r\n');
  const headers = lines.filter((line) => !volatile.test(line)).map((line) => line.replace(/^[^:]+/, lower));
  return [status.split(' ')[1], ...headers.toSorted(), '', unchunked(rest.join('\r\n\r\n'))].join('\n');
}

/** Reads a response of a known length, or to the end of the connection. */
async function whole(socket: Socket): Promise<string> {
  let received = '';
  for await (const chunk of socket.setEncoding('latin1') as AsyncIterable<string>) {
    received += chunk;
    const length = /\r\nContent-Length: (\d+)\r\n/i.exec(received)?.[1];
    const end = received.indexOf('\r\n\r\n') + 4;
    if (length !== undefined && end > 3 && received.length >= end + Number(length)) break;
  }
  return received;
}

const lower = (name: string): string => name.toLowerCase();
const unchunked = (body: string): string =>
  body
    .replace(/^[0-9a-f]+\r\n/gm, '')
    .replace(/\r\n/g, '')
    .replace(/"resourceVersion":\s?"\d+"/g, '"resourceVersion":"…"')
    .replace(/"(uid|creationTimestamp|time)":\s?"[^"]+"/g, '"$1":"…"');

describe.runIf(requireTools(suite, 'kubectl'))(suite, () => {
  using home = tempFolder('annex-proxies-');
  const www = join(home.path, 'www');
  const running: RunningProcess[] = [];
  let annex: Runner;
  const portOf = ({ ready }: RunningProcess): number => Number(ready?.[1]);
  async function both(flags: readonly string[]): Promise<[RunningProcess, RunningProcess]> {
    const env = { ...process.env, KUBECONFIG: annex.kubeconfig, HOME: home.path };
    const until = /Starting to serve on \S+:(\d+)/;
    const args = ['proxy', '--port=0', ...flags];
    const started = await Promise.all([
      startProcess('kubectl', { args, env, until }),
      startProcess(process.execPath, { args: [annexCommand, ...args], env, until }),
    ]);
    running.push(...started);
    return started;
  }
  beforeAll(async () => {
    mkdirSync(join(www, 'inner'), { recursive: true });
    writeFileSync(join(www, 'a.txt'), 'a text\n');
    writeFileSync(join(www, 'a&b:c d.html'), '<p>');
    writeFileSync(join(www, 'inner', 'index.html'), '<p>index</p>\n');
    annex = await startSingle({ ephemeral: true });
  });
  afterAll(async () => {
    await Promise.all(running.map((one) => one.stop()));
    await annex.stop();
  });

  it.each([
    ['by default', [], plain],
    ['with files beside the API', ['--www', www], besideApi],
    [
      'with prefixes, files and patterns',
      [
        '--www',
        www,
        '--www-prefix=/www',
        '--api-prefix=/k8s',
        '--accept-paths=^/version,^/$,^/api/',
        '--reject-methods=POST,DELETE',
        '--accept-hosts=.*',
      ],
      withFiles,
    ],
  ] as const)('%s', async (_, flags, cases) => {
    const [kubectl, own] = await both(flags);
    const differences: string[] = [];
    for (const one of cases) {
      const [expected, found] = await Promise.all([
        exchange(portOf(kubectl), one),
        exchange(portOf(own), one),
      ]);
      if (expected !== found)
        differences.push(`${one[0]}\n--- kubectl proxy\n${expected}\n--- annex proxy\n${found}`);
    }
    expect(differences.join('\n\n')).toBe('');
  });
});
