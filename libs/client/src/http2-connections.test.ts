import { once } from 'node:events';
import {
  type Http2SecureServer,
  type SecureServerOptions,
  type ServerHttp2Session,
  type ServerHttp2Stream,
  constants,
  createSecureServer,
} from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import { createTestCA } from '@annex/testkit';
import { afterEach, expect, it, vi } from 'vitest';
import { maxRefusals, pingTimeoutMs } from './http2-connections.ts';
import { Client } from './client.ts';
import { readWhole } from './client-response.ts';

let server: Http2SecureServer | undefined;
let client: Client | undefined;
const sessions: ServerHttp2Session[] = [];

afterEach(() => {
  client?.close();
  for (const session of sessions.splice(0)) session.destroy();
  server?.close();
});

async function serve(
  response: (stream: ServerHttp2Stream, method: string, path: string) => void,
  options: SecureServerOptions = {},
): Promise<Client> {
  const ca = createTestCA('test');
  const { certificate: cert, key } = ca.issue({ commonName: 'localhost', dnsNames: ['localhost'] });
  const made = createSecureServer({ cert, key, ...options });
  server = made;
  made.on('session', (session) => sessions.push(session));
  made.on('stream', (stream, headers) =>
    response(stream, String(headers[':method']), String(headers[':path'])),
  );
  made.listen(0, '127.0.0.1');
  await once(made, 'listening');
  const { port } = made.address() as AddressInfo;
  client = new Client({ server: `https://localhost:${port}`, ca: ca.certificate, protocol: 'h2' });
  return client;
}

const send = (stream: ServerHttp2Stream, text: string): void => {
  stream.respond({ ':status': 200, 'content-type': 'application/json' });
  stream.end(text);
};

it('carries requests with and without a body over one connection', async () => {
  const api = await serve((stream, method, path) => {
    let body = '';
    stream.on('data', (chunk: Buffer) => (body += chunk.toString()));
    stream.on('end', () => send(stream, JSON.stringify({ method, path, body })));
  });
  const requests = [{ path: '/a?x=1' }, { path: '/b', method: 'POST', body: { n: 1 } }];
  expect(await Promise.all(requests.map((request) => api.json(request)))).toEqual([
    { method: 'GET', path: '/a?x=1', body: '' },
    { method: 'POST', path: '/b', body: '{"n":1}' },
  ]);
  expect(sessions).toHaveLength(1);
});

it('reads a response that arrived as a whole before its reader', async () => {
  const api = await serve((stream, _method, path) => send(stream, JSON.stringify({ path })));
  const first = await api.open({ path: '/first' });
  // Responses of one connection arrive in order: when this one is read, HTTP/2 has closed the stream of the first.
  await api.json({ path: '/second' });
  expect(String(await readWhole(first, 100))).toBe('{"path":"/first"}');
});

it('reads a response that is larger than all buffers, and slower than the server', async () => {
  const bytes = 3 * 1024 * 1024;
  const api = await serve((stream) => send(stream, 'x'.repeat(bytes)));
  const message = await api.open({ path: '/large' });
  await api.open({ path: '/other' }).then((other) => other.destroy());
  expect(await readWhole(message, bytes)).toHaveLength(bytes);
});

it('a response that breaks off is an error, not an end', async () => {
  let connection: Socket | undefined;
  const api = await serve((stream) => {
    stream.respond({ ':status': 200 });
    stream.write('half');
  });
  server!.on('connection', (socket: Socket) => (connection = socket));
  const message = await api.open({ path: '/half' });
  const body = readWhole(message, 100);
  message.once('data', () => connection?.destroy());
  await expect(body).rejects.toThrow();
});

it('opens a further connection at the stream limit of the first', async () => {
  const held: ServerHttp2Stream[] = [];
  const all = Promise.withResolvers<void>();
  const api = await serve(
    (stream, _method, path) => {
      if (path === '/first') return send(stream, '{}');
      held.push(stream);
      if (held.length === 3) all.resolve();
    },
    { settings: { maxConcurrentStreams: 2 } },
  );
  await api.json({ path: '/first' });
  const responses = [1, 2, 3].map((n) => api.json({ path: `/${n}` }));
  await all.promise;
  expect(sessions).toHaveLength(2);
  for (const stream of held) send(stream, '{}');
  await Promise.all(responses);
});

it('ends a watch when its signal aborts, and keeps the connection', async () => {
  const api = await serve((stream, _method, path) => {
    if (!path.includes('watch')) return send(stream, '{}');
    stream.respond({ ':status': 200 });
    stream.write('{"type":"ADDED","object":{"metadata":{"name":"a"}}}\n');
  });
  const stop = new AbortController();
  const seen: unknown[] = [];
  for await (const { object } of api.watch('/things', { signal: stop.signal })) {
    seen.push(object);
    stop.abort();
  }
  expect(seen).toEqual([{ metadata: { name: 'a' } }]);
  await api.json({ path: '/after' });
  expect(sessions).toHaveLength(1);
});

it('fails running requests when the connection breaks, and connects again for later ones', async () => {
  const api = await serve((stream, _method, path) => {
    if (path === '/breaks') stream.session?.destroy();
    else send(stream, '{"fine":true}');
  });
  await expect(api.json({ path: '/breaks' })).rejects.toThrow();
  expect(await api.json({ path: '/next' })).toEqual({ fine: true });
});

it('a connection whose server does not respond to pings within pingTimeoutMs ends', async () => {
  const requests: ServerHttp2Stream[] = [];
  const api = await serve((stream) => void requests.push(stream.on('error', () => undefined)));
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
  try {
    const response = api.json({ path: '/a' }).catch((error: Error) => error.message);
    await vi.waitUntil(() => requests.length === 1);
    // No response of the server is read before both timers expire.
    vi.advanceTimersToNextTimer();
    vi.advanceTimersByTime(pingTimeoutMs);
    expect(await response).toContain('the server does not respond to pings');
  } finally {
    vi.useRealTimers();
  }
});

function refuse(stream: ServerHttp2Stream): void {
  // Node reports the code that the server itself sent.
  stream.on('error', () => undefined);
  stream.close(constants.NGHTTP2_REFUSED_STREAM);
}

it('sends a request again that a stopping server refused', async () => {
  let requests = 0;
  const refusing = await serve((stream) => {
    requests++;
    if (requests === 1) return refuse(stream);
    stream.respond({ ':status': 201 });
    stream.end('{}');
  });
  const { status } = await refusing.send({ method: 'POST', path: '/', body: { a: 1 } });
  expect([status, requests, sessions.length]).toEqual([201, 2, 2]);
});

it('gives up on a server that refuses every request', async () => {
  const refusing = await serve(refuse);
  await expect(refusing.send({ path: '/' })).rejects.toThrow('NGHTTP2_REFUSED_STREAM');
  expect(sessions).toHaveLength(maxRefusals + 1);
});
