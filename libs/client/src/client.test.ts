import { createServer as createPlainServer } from 'node:http';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { type Server, createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type KubeObject, StatusError } from '@annex/machinery';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Client } from './client.ts';
import { Informer } from './informer.ts';
import { maxClientErrorText } from './response-error.ts';
import { maxWatchEventBytes } from './watch.ts';

let folder: string;
let tls: { cert: string; key: string };
let server: Server | undefined;
let client: Client | undefined;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'annex-client-'));
  const [key, cert] = [join(folder, 'k'), join(folder, 'c')];
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  execFileSync('openssl', ['req', '-x509', ...kind, '-keyout', key, '-out', cert, ...names], {
    stdio: 'ignore',
  });
  tls = { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') };
});
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => {
  client?.close();
  server?.closeAllConnections();
  server?.close();
});

async function serve(response: RequestListener): Promise<Client> {
  const made = createServer(tls, response);
  server = made;
  await new Promise<void>((resolve) => made.listen(0, '127.0.0.1', resolve));
  const { port } = made.address() as AddressInfo;
  client = new Client({ server: `https://localhost:${port}`, ca: tls.cert, token: 'secret' });
  return client;
}

describe('a request', () => {
  it('sends JSON with the identity, and decodes the response without loss', async () => {
    const api = await serve((req, res) => {
      let body = '';
      req.on('data', (chunk: Buffer) => (body += chunk.toString()));
      req.on('end', () =>
        res.end(`{"auth":"${req.headers.authorization}","sent":${body},"big":9007199254740993}`),
      );
    });
    const response = await api.json({ method: 'POST', path: '/x', body: { n: 9007199254740993n } });
    expect(response).toEqual({
      auth: 'Bearer secret',
      sent: { n: 9007199254740993n },
      big: 9007199254740993n,
    });
  });

  it.each([
    [
      'the Status that the server sent',
      '{"kind":"Status","message":"gone","reason":"Expired","code":410}',
      410,
      'gone',
    ],
    [
      'a generated Status if the server sent none',
      'later\n',
      503,
      'the server is currently unable to handle the request',
    ],
    [
      'the body for a code without a meaning',
      'the "disk"\n',
      500,
      'an error on the server ("the \\"disk\\"") has prevented the request from succeeding',
    ],
    ['why the server refuses', 'not you', 403, 'not you'],
  ])('throws %s', async (_, body, code, message) => {
    const api = await serve((_req, res) => res.writeHead(code).end(body));
    const error = await api.json({ path: '/x' }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(StatusError);
    expect([(error as StatusError).code, (error as StatusError).message]).toEqual([code, message]);
  });

  it('connects to an http server without TLS', async () => {
    const plain = createPlainServer((req, res) => res.end(JSON.stringify({ path: req.url })));
    await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
    const { port } = plain.address() as AddressInfo;
    const proxied = new Client({ server: `http://127.0.0.1:${port}/base` });
    expect(await proxied.json({ path: '/x' })).toEqual({ path: '/base/x' });
    proxied.close();
    plain.close();
  });

  it('quotes maxClientErrorText characters of an error', async () => {
    const api = await serve((_req, res) => res.writeHead(403).end('x'.repeat(maxClientErrorText + 1)));
    await expect(api.json({ path: '/x' })).rejects.toMatchObject({ message: 'x'.repeat(2048) });
  });

  it('refuses a response beyond its limit', async () => {
    const api = await serve((_req, res) => res.end('x'.repeat(1000)));
    // The limit is maxResponseBytes.
    await expect(api.send({ path: '/x', maxBytes: 10 })).rejects.toThrow('larger than 10 bytes');
  });
});

describe('a watch', () => {
  it('ends with an error if an event is larger than maxWatchEventBytes', async () => {
    const line = (bytes: number) => '{"type":"ADDED","object":{}}'.padEnd(bytes);
    const api = await serve((_req, res) => {
      res.write(`${line(maxWatchEventBytes)}\n`);
      res.write(line(maxWatchEventBytes + 1));
    });
    const events = api.watch('/x');
    expect(await events.next()).toEqual({ done: false, value: { type: 'ADDED', object: {} } });
    await expect(events.next()).rejects.toThrow('an event is larger than 16777216 bytes');
  });

  it('yields events that are split over chunks, and ends with the server', async () => {
    const api = await serve((_req, res) => {
      res.write('{"type":"ADDED","object":{"a":1}}\n{"type":"MOD');
      setImmediate(() => res.end('IFIED","object":{"a":2}}\n'));
    });
    const seen = [];
    for await (const event of api.watch('/pods')) seen.push(event);
    expect(seen).toEqual([
      { type: 'ADDED', object: { a: 1 } },
      { type: 'MODIFIED', object: { a: 2 } },
    ]);
  });

  it('throws the Status of an ERROR event', async () => {
    const api = await serve((_req, res) =>
      res.end(
        '{"type":"ERROR","object":{"kind":"Status","message":"too old","reason":"Expired","code":410}}\n',
      ),
    );
    await expect(api.watch('/pods').next()).rejects.toThrow('too old');
  });
});

describe('an informer', () => {
  const pod = (name: string, version: string): KubeObject => ({
    metadata: { name, resourceVersion: version },
  });

  it('pages through the list, follows events, and lists again after 410', async () => {
    const lists = [
      [
        { metadata: { resourceVersion: '5', continue: 'c' }, items: [pod('a', '1')] },
        { metadata: { resourceVersion: '5' }, items: [pod('b', '2')] },
      ],
      [{ metadata: { resourceVersion: '9' }, items: [pod('b', '8')] }],
    ];
    const watches = [
      '{"type":"MODIFIED","object":{"metadata":{"name":"a","resourceVersion":"6"}}}\n' +
        '{"type":"ERROR","object":{"kind":"Status","code":410,"message":"gone"}}\n',
    ];
    let pages = lists.shift() ?? [];
    const requests: string[] = [];
    const api = await serve((req, res) => {
      const url = new URL(req.url ?? '', 'https://x');
      if (url.searchParams.has('watch')) {
        requests.push(`watch ${url.searchParams.get('resourceVersion')}`);
        const text = watches.shift();
        if (text) res.end(text);
        else res.flushHeaders();
        return;
      }
      if (pages.length === 0) pages = lists.shift() ?? [];
      requests.push(`list ${url.searchParams.get('continue') ?? ''}`);
      res.end(JSON.stringify(pages.shift()));
    });
    const events: string[] = [];
    const settled = Promise.withResolvers<void>();
    const informer = new Informer(
      api,
      '/pods',
      {
        added: (object) => events.push(`+${object.metadata.name}`),
        modified: (object) => {
          events.push(`~${object.metadata.name}${object.metadata.resourceVersion}`);
          if (object.metadata.resourceVersion === '8') settled.resolve();
        },
        deleted: (object) => events.push(`-${object.metadata.name}`),
      },
      { retryMs: 1 },
    );
    await informer.start();
    await settled.promise;
    expect(events).toEqual(['+a', '+b', '~a6', '-a', '~b8']);
    expect(requests.slice(0, 4)).toEqual(['list ', 'list c', 'watch 5', 'list ']);
    expect(informer.list().map(({ metadata }) => metadata.name)).toEqual(['b']);
    await informer.stop();
  });

  it('reports a long list in slices, and nothing more when it is stopped', async () => {
    const items = Array.from({ length: 200 }, (_, i) => ({
      metadata: { name: `pod-${i}`, resourceVersion: '5' },
    }));
    const api = await serve((_req, res) =>
      res.end(JSON.stringify({ metadata: { resourceVersion: '5' }, items })),
    );
    let reported = 0;
    const stopped = Promise.withResolvers<void>();
    const informer = new Informer(api, '/pods', {
      added() {
        // Longer than a slice.
        for (const end = performance.now() + 5; performance.now() < end;);
        if (++reported === 3) informer.stop().then(stopped.resolve, stopped.reject);
      },
    });
    void informer.start();
    await stopped.promise;
    expect(reported).toBe(3);
  });
});
