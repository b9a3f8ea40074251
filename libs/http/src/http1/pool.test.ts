import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import { createTestCA } from '@annex/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Http1Request } from './connection.ts';
import type { BackendResponse } from './exchange.ts';
import { Http1Pool, maxIdleConnections } from './pool.ts';

const ca = createTestCA('ca');
const { certificate, key } = ca.issue({ commonName: 'backend', dnsNames: ['localhost'] });
/** The backend's handling of each connection, and the number of connections. */
let serve: (socket: TLSSocket) => void;
let connections: TLSSocket[] = [];
let server: Server;
let pool: Http1Pool;
let port: number;

beforeAll(async () => {
  server = createServer({ cert: certificate, key }, (socket) => {
    connections.push(socket.on('error', () => undefined));
    serve(socket);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  ({ port } = server.address() as AddressInfo);
});

beforeEach(() => {
  connections = [];
  pool = new Http1Pool({ ca: ca.certificate, servername: 'localhost' });
});

afterEach(() => {
  pool.close();
  for (const socket of connections) socket.destroy();
});

afterAll(() => void server.close());

const host = '127.0.0.1';
const head = 'GET / HTTP/1.1\r\nHost: backend\r\n\r\n';
const send = (request: Omit<Http1Request, 'handler'>) =>
  new Promise<BackendResponse>((responded, failed) => {
    pool.take({ host, port }).send({ ...request, handler: { responded, failed } });
  });
const get = () => send({ method: 'GET', head, chunked: false });
const text = async ({ body }: BackendResponse) => Buffer.concat(await body.stream().toArray()).toString();

/** Responds to each head with a text. */
const responding = (response: string) => (socket: TLSSocket) =>
  socket.on('data', (data: Buffer) => {
    for (let i = data.toString().split('\r\n\r\n').length; i > 1; i--) socket.write(response);
  });

async function connectionsOfTwo(response: string): Promise<number> {
  serve = responding(response);
  expect(await text(await get())).toBe('ok');
  expect(await text(await get())).toBe('ok');
  return connections.length;
}

describe('a connection', () => {
  it.each([
    ['HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok', 1],
    ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n', 1],
    ['HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok', 1],
    ['HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok', 1],
    ['HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok', 2],
    ['HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok', 2],
    ['HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged', 2],
  ])('that answers %j twice is one of %i', async (response, count) => {
    expect(await connectionsOfTwo(response)).toBe(count);
  });

  it('whose backend sends data without a request is closed', async () => {
    serve = responding('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
    await text(await get());
    const [idle] = connections.slice(-1);
    idle?.write('HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged');
    await once(idle as TLSSocket, 'close');
    expect(await text(await get())).toBe('ok');
  });

  it('whose response came before the end of the request is not reused', async () => {
    serve = responding('HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno');
    const body = new Readable({ read: () => undefined });
    body.push('some of it');
    const post = 'POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n';
    expect(await text(await send({ method: 'POST', head: post, body, chunked: true }))).toBe('no');
    await once(connections.at(-1) as TLSSocket, 'close');
  });

  it('is read only as far as the body is consumed', async () => {
    const piece = Buffer.alloc(1024 * 1024);
    const full = Promise.withResolvers<number>();
    serve = (socket) =>
      socket.once('data', () => {
        socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${1024 * piece.length}\r\n\r\n`);
        // Writes until the other side has not read for a while.
        const more = (count: number) => {
          const stuck = setTimeout(() => full.resolve(count), 500);
          socket.write(piece, (error) => {
            clearTimeout(stuck);
            if (!error) more(count + 1);
          });
        };
        more(0);
      });
    const response = await get();
    expect(await full.promise).toBeLessThan(64);
    expect(response.body.whole).toBeUndefined();
    const closed = new Promise((resolve) => connections[0]?.once('close', resolve));
    response.body.discard();
    await closed;
  });
});

describe('a response', () => {
  it.each([
    ['', 'EOF'],
    ['HTTP/1.1 200', 'net/http: HTTP/1.x transport connection broken: unexpected EOF'],
    ['HTTP/1.1 20', 'net/http: HTTP/1.x transport connection broken: malformed HTTP status code "20"'],
    ['HTTP/1.1 103 Early Hints\r\n\r\n', 'net/http: HTTP/1.x transport connection broken: unexpected EOF'],
    ['HTTP/1.1 200 OK\r\nA: b', 'net/http: HTTP/1.x transport connection broken: unexpected EOF'],
    [
      `HTTP/1.1 200 OK\r\nA: ${'b'.repeat(11_000_000)}`,
      'net/http: HTTP/1.x transport connection broken: net/http: server response headers exceeded 1048576 bytes; aborted',
    ],
    ['220 smtp', 'net/http: HTTP/1.x transport connection broken: malformed HTTP status code "smtp"'],
    ['220 smtp\r\n', 'net/http: HTTP/1.x transport connection broken: malformed HTTP status code "smtp"'],
  ])('that begins with %.30j and no more is none', async (sent, why) => {
    serve = (socket) => socket.once('data', () => socket.end(sent));
    await expect(get()).rejects.toThrow(expect.objectContaining({ message: why }));
  });

  it.each([
    'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nok',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n',
  ])('whose body breaks off fails: %j', async (sent) => {
    serve = (socket) => socket.once('data', () => socket.end(sent));
    await expect(get().then(text)).rejects.toThrow('unexpected EOF');
  });

  it('without a length ends with its connection', async () => {
    serve = (socket) => socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\n\r\nall of it'));
    expect(await text(await get())).toBe('all of it');
  });
});

it('of the connections that are idle, maxIdleConnections stay open', async () => {
  const waiting: TLSSocket[] = [];
  serve = (socket) => socket.once('data', () => waiting.push(socket));
  const responses = Array.from({ length: maxIdleConnections + 1 }, () => get());
  await vi.waitUntil(() => waiting.length === responses.length, { timeout: 20_000 });
  const closed = new Promise((resolve) => waiting.forEach((socket) => socket.once('close', resolve)));
  for (const socket of waiting) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
  for (const response of responses) expect(await text(await response)).toBe('ok');
  await closed;
  expect(waiting.filter((socket) => !socket.destroyed && !socket.readableEnded)).toHaveLength(64);
});
