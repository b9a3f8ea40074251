import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AddressInfo } from 'node:net';
import { createServer, type TLSSocket } from 'node:tls';
import { createTestCA, tempFolder } from '@annex/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type HostileServer, startHostile } from './hostile-server.ts';

let server: HostileServer;
const folder = tempFolder();
const sockets = new Set<TLSSocket>();
let attack: (socket: TLSSocket) => void;

const ca = createTestCA('webhook-ca');
const { certificate: cert, key } = ca.issue({ commonName: 'webhook', ipAddresses: ['127.0.0.1'] });
/** The webhook, the token issuer and the receiver of audit events: one server that responds to each request with the attack. */
const hostile = createServer({ cert, key }, (socket) => {
  sockets.add(socket);
  socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  socket.on('data', (bytes: Buffer) => {
    if (/^(GET|POST) /.test(bytes.toString('latin1'))) attack(socket);
  });
});
const kubeconfig = (url: string): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name: 'c',
        cluster: {
          server: url,
          'certificate-authority-data': Buffer.from(ca.certificate).toString('base64'),
        },
      },
    ],
    users: [{ name: 'u', user: {} }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  });

const head = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';
const writes = (text: string) => (socket: TLSSocket) => void socket.write(text);
const ends = (text: string) => (socket: TLSSocket) => void socket.end(text);
const floods = (first: string, then: string) => (socket: TLSSocket) => {
  const writeMore = () => {
    while (!socket.destroyed && socket.write(then));
  };
  socket.on('drain', writeMore).write(first);
  writeMore();
};
const drips = (first: string) => (socket: TLSSocket) => {
  socket.write(first);
  const timer = setInterval(() => socket.write(' '), 200);
  socket.on('close', () => clearInterval(timer));
};

const sends = (body: string, type = 'application/json') =>
  writes(`HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}`);

/** Attacks that end a request immediately. */
const quick: [what: string, (socket: TLSSocket) => void][] = [
  ['header lines without end', floods(head, 'a: b\r\n'.repeat(1000))],
  ['a header line without end', floods(`${head}a: `, 'b'.repeat(65_536))],
  ['interim responses without end', floods('', 'HTTP/1.1 102 Processing\r\n\r\n'.repeat(1000))],
  [
    'a body without end',
    floods(`${head}Transfer-Encoding: chunked\r\n\r\n`, `10000\r\n${' '.repeat(65_536)}\r\n`),
  ],
  [
    'another protocol',
    writes('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'),
  ],
  ['bytes that are not HTTP', writes('x'.repeat(10_000))],
  ['a redirect to itself', writes('HTTP/1.1 307 Redirect\r\nLocation: /\r\nContent-Length: 0\r\n\r\n')],
  ['a page', sends('<html>', 'text/html')],
  ['lists that are nested 500,000 times', sends('['.repeat(500_000))],
  [
    'a review of another kind',
    sends('{"apiVersion":"v1","kind":"Status","status":{"authenticated":true,"allowed":true}}'),
  ],
  [
    'fields of other types',
    sends('{"status":{"authenticated":"true","allowed":1},"response":[{"allowed":true}]}'),
  ],
];
/** Attacks that look like a broken connection: authentication and authorization try again for four seconds. */
const broken: typeof quick = [
  ['a chunk head without end', floods(`${head}Transfer-Encoding: chunked\r\n\r\n1;`, 'a'.repeat(65_536))],
  ['half a head', ends('HTTP/1.1 200 OK\r\nCont')],
  ['half a body', ends(`${head}Content-Length: 100\r\n\r\n{"kind"`)],
];
/** Attacks that last until the timeout of the request. */
const slow: typeof quick = [
  ['nothing', () => undefined],
  ['a head byte by byte', drips('HTTP/1.1 200 OK\r\nX: ')],
  ['a body byte by byte', drips(`${head}Content-Length: 100000\r\n\r\n`)],
];

beforeAll(async () => {
  await new Promise<void>((resolve) => hostile.listen(0, '127.0.0.1', resolve));
  const url = `https://127.0.0.1:${(hostile.address() as AddressInfo).port}`;
  const file = (name: string, text: string): string => {
    const path = join(folder.path, name);
    writeFileSync(path, text);
    return path;
  };
  attack = writes(`${head}Content-Length: 2\r\n\r\n{}`);
  server = await startHostile(
    `--authentication-token-webhook-config-file=${file('tokens', kubeconfig(`${url}/tokens`))}`,
    `--authorization-mode=RBAC,Webhook`,
    `--authorization-webhook-config-file=${file('access', kubeconfig(`${url}/access`))}`,
    `--audit-webhook-config-file=${file('audit', kubeconfig(`${url}/audit`))}`,
    `--audit-webhook-batch-max-wait=100ms`,
    `--audit-policy-file=${file('policy', '{"apiVersion":"audit.k8s.io/v1","kind":"Policy","rules":[{"level":"Metadata"}]}')}`,
  );
  const caBundle = Buffer.from(ca.certificate).toString('base64');
  await server.make('POST', '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', {
    metadata: { name: 'hostile' },
    webhooks: [
      {
        name: 'hostile.example.com',
        clientConfig: { url: `${url}/admission`, caBundle },
        rules: [{ operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
        timeoutSeconds: 1,
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'default' } },
      },
    ],
  });
  await server.makeKind(
    {
      metadata: { name: 'toys.hostile.example.com' },
      spec: {
        group: 'hostile.example.com',
        names: { plural: 'toys', kind: 'Toy' },
        scope: 'Cluster',
        versions: ['v1', 'v2'].map((name) => ({
          name,
          served: true,
          storage: name === 'v1',
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        })),
        conversion: {
          strategy: 'Webhook',
          webhook: { clientConfig: { url: `${url}/conversion`, caBundle }, conversionReviewVersions: ['v1'] },
        },
      },
    },
    toys('v1'),
  );
  await server.make('POST', toys('v1'), {
    apiVersion: 'hostile.example.com/v1',
    kind: 'Toy',
    metadata: { name: 'a' },
  });
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  hostile.close();
  await server[Symbol.asyncDispose]();
});
// After each case, other requests are served.
afterEach(async () => {
  expect(await server.ask({ path: '/readyz' })).toMatchObject({ status: 200 });
});

const toys = (version: string): string => `/apis/hostile.example.com/${version}/toys`;
const create = () =>
  server.ask({
    method: 'POST',
    path: '/api/v1/namespaces/default/configmaps',
    headers: { 'Content-Type': 'application/json' },
    body: '{"metadata":{"name":"a"}}',
  });

describe.each([...quick, ...broken])('a server that sends %s', (_what, write) => {
  beforeAll(() => {
    attack = write;
  });

  it('as an admission webhook rejects the object', async () => {
    const { status, text } = await create();
    expect([status, text]).toEqual([500, expect.stringContaining('failed calling webhook') as string]);
  });

  it('as a webhook of conversion fails the read', async () => {
    expect((await server.ask({ path: `${toys('v2')}/a` })).status).toBe(500);
    expect((await server.ask({ path: `${toys('v1')}/a` })).status).toBe(200);
  });
});

describe.each(quick)('a server that sends %s', (_what, write) => {
  beforeAll(() => {
    attack = write;
  });

  it('as a token webhook authenticates no user', async () => {
    expect((await server.ask({ path: '/version', as: { token: 'unknown' } })).status).toBe(401);
  });

  it('as a webhook of authorization fails the request', async () => {
    expect((await server.ask({ path: '/api/v1/secrets', as: { user: 'eve' } })).status).toBe(500);
  });
});

it.each(slow)('a webhook of admission that sends %s ends at its timeout', async (_what, write) => {
  attack = write;
  const response = create();
  expect((await server.ask({ path: '/version' })).status).toBe(200);
  const { status, text } = await response;
  expect([status, text]).toEqual([500, expect.stringContaining('context deadline exceeded') as string]);
});
