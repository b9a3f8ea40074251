import { once } from 'node:events';
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request as send } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import type { ClientConfig } from '@annex/client';
import { listen, nullLogger } from '@annex/runtime';
import { tempFolder } from '@annex/testkit';
import type { FastifyInstance } from 'fastify';
import { afterEach, describe, expect, it } from 'vitest';
import { maxBufferedBytes } from './forward-request.ts';
import { placeOf } from './options.ts';
import { createProxyServer, maxProxyHeadBytes, type ProxySetting } from './proxy-server.ts';

const closing: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

/** A server that records requests, echoes bodies, and switches to a protocol that echoes bytes. */
async function startServer() {
  const seen: { head: IncomingMessage; body: string }[] = [];
  const server = createServer(async (head, response) => {
    const body = (await buffer(head)).toString();
    seen.push({ head, body });
    if (head.url === '/broken') {
      response.writeHead(200, { 'Content-Length': 100 }).write('half');
      response.socket?.destroySoon();
    } else if (head.url === '/trailers') {
      response.writeHead(200, { Trailer: 'X-End' }).write('body');
      response.addTrailers({ 'X-End': 'yes' });
      response.end();
    } else response.writeHead(200, { Connection: 'x-own', 'X-Own': '1', 'X-Seen': '1' }).end(body);
  });
  server.on('upgrade', (head: IncomingMessage, socket: Socket, first: Buffer) => {
    seen.push({ head, body: '' });
    if (head.url === '/refused')
      return void socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno');
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\nhello `);
    socket.write(first);
    socket.pipe(socket);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

const fixed = (server: ClientConfig) => () => server;

async function startProxy(server: string, more: Partial<ProxySetting> = {}): Promise<FastifyInstance> {
  const app = createProxyServer({
    server: fixed({ server, token: 'own' }),
    filter: undefined,
    apiPrefix: '/',
    log: nullLogger,
    ...more,
  });
  await app.ready();
  await listen(app.server, { host: '127.0.0.1', port: 0 });
  closing.push(() => app.close());
  return app;
}

const portOf = (app: FastifyInstance): number => (app.server.address() as AddressInfo).port;

async function raw(app: FastifyInstance, bytes: string): Promise<string> {
  const socket = connect(portOf(app), '127.0.0.1');
  socket.write(bytes);
  return await text(socket);
}

const get = (path: string, lines = ''): string =>
  `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${lines}\r\n`;
const upgrade = (path: string, method = 'GET', lines = ''): string =>
  `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: echo\r\n${lines}\r\n`;

describe('a forwarded request', () => {
  it('has the credentials of the kubeconfig, the address of the client, and no header of one connection', async () => {
    const { seen, url } = await startServer();
    const app = await startProxy(url);
    const response = await raw(app, get('/a', 'Keep-Alive: 1\r\nProxy-Authorization: x\r\nX-Kept: 1\r\n'));
    expect(seen[0]?.head.headers).toMatchObject({
      authorization: 'Bearer own',
      'x-forwarded-for': '127.0.0.1',
      'x-kept': '1',
      'user-agent': 'annex',
      host: new URL(url).host,
    });
    expect(seen[0]?.head.headers).not.toHaveProperty('proxy-authorization');
    expect(response).toContain('X-Seen: 1');
    expect(response).not.toContain('X-Own');
  });

  it('keeps the credentials and the impersonated user of the client', async () => {
    const { seen, url } = await startServer();
    const app = await startProxy(url, {
      server: fixed({ server: url, token: 'own', impersonate: { user: 'b' } }),
    });
    await raw(app, get('/a', 'Authorization: Bearer theirs\r\nImpersonate-User: a\r\n'));
    expect(seen[0]?.head.headers).toMatchObject({ authorization: 'Bearer theirs', 'impersonate-user': 'a' });
  });

  it.each(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE', 'POST', 'PROPFIND'])(
    'of the method %s with a body in chunks is one request',
    async (method) => {
      const { seen, url } = await startServer();
      const app = await startProxy(url);
      const inner = 'GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n';
      const head = `${method} /a HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n`;
      await raw(app, `${head}${inner.length.toString(16)}\r\n${inner}\r\n0\r\n\r\n`);
      expect(seen.map(({ body, head: { url: path } }) => [path, body])).toEqual([['/a', inner]]);
    },
  );

  it('is refused if a body that must be read first is too large', async () => {
    const { seen, url } = await startServer();
    const app = await startProxy(url);
    const size = maxBufferedBytes + 1;
    const sent = send({ port: portOf(app), method: 'DELETE', headers: { 'Transfer-Encoding': 'chunked' } });
    sent.on('error', () => undefined);
    sent.end(Buffer.alloc(size));
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    expect([response.statusCode, await text(response)]).toEqual([500, 'http: request body too large\n']);
    expect(seen).toEqual([]);
  });

  it('is refused if its head is too large', async () => {
    const { seen, url } = await startServer();
    const app = await startProxy(url);
    const response = await raw(app, get('/a', `X: ${'a'.repeat(maxProxyHeadBytes)}\r\n`)).catch(String);
    expect(response).toMatch(/^HTTP\/1.1 431 |ECONNRESET/);
    expect(seen).toEqual([]);
  });

  it('has the path of the server if it is appended', async () => {
    const { seen, url } = await startServer();
    const app = await startProxy(`${url}/base/`, { appendServerPath: true });
    await raw(app, get('/a?b'));
    expect(seen[0]?.head.url).toBe('/base/a?b');
  });

  it('ends with an error of the connection if the server breaks off', async () => {
    const { url } = await startServer();
    const app = await startProxy(url);
    const response = await raw(app, get('/broken')).catch(String);
    expect(response).not.toContain('0\r\n\r\n');
    expect(response).toContain('half');
  });

  it('has the trailers of the server in its response', async () => {
    const { url } = await startServer();
    expect(await raw(await startProxy(url), get('/trailers'))).toMatch(/body\r\n0\r\nX-End: yes\r\n\r\n$/);
  });

  it('is answered with the reason if the server is not reached', async () => {
    const app = await startProxy('http://127.0.0.1:1');
    expect(await raw(app, get('/a'))).toContain(
      '\r\n\r\ndial tcp 127.0.0.1:1: connect: connection refused\n',
    );
    expect(await raw(app, upgrade('/a'))).toContain(
      '\r\n\r\nerror dialing backend: dial tcp 127.0.0.1:1: connect: connection refused\n',
    );
  });

  it.each(['socks5', 'http'])('whose %s proxy is away has kubectl’s message', async (scheme) => {
    const server = fixed({ server: 'https://10.0.0.1', ca: '', proxyUrl: `${scheme}://127.0.0.1:1` });
    const app = await startProxy('https://10.0.0.1', { server });
    expect(await raw(app, get('/a'))).toContain(
      '\r\n\r\nproxyconnect tcp: dial tcp 127.0.0.1:1: connect: connection refused\n',
    );
  });

  it('is not forwarded for CONNECT', async () => {
    const app = await startProxy('http://127.0.0.1:1');
    expect(await raw(app, 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n')).toMatch(/^HTTP\/1.1 404 Not Found\r\n/);
  });
});

describe('an upgrade', () => {
  it.each(['GET', 'POST'])('by %s joins both connections', async (method) => {
    const { seen, url } = await startServer();
    const app = await startProxy(url, { keepaliveMs: 1000 });
    const socket = connect(portOf(app), '127.0.0.1');
    socket.write(`${upgrade('/a', method)}early `);
    socket.end('late');
    const response = await text(socket);
    expect(response).toMatch(/^HTTP\/1.1 101 Switching Protocols\r\n/);
    expect(response).toMatch(/\r\n\r\nhello early late$/);
    expect(seen[0]?.head.headers).toMatchObject({ authorization: 'Bearer own', upgrade: 'echo' });
  });

  it('that the server refuses has its response', async () => {
    const { url } = await startServer();
    const response = await raw(await startProxy(url), upgrade('/refused'));
    expect(response).toMatch(/^HTTP\/1.1 403 Forbidden\r\n/);
    expect(response).toMatch(/\r\n\r\nno$/);
  });

  it('with a body is refused', async () => {
    const { seen, url } = await startServer();
    const response = await raw(await startProxy(url), `${upgrade('/a', 'POST', 'Content-Length: 1\r\n')}x`);
    expect(response).toMatch(/^HTTP\/1.1 400 Bad Request\r\n/);
    expect(seen).toEqual([]);
  });

  it('ends when the proxy stops', async () => {
    const { url } = await startServer();
    const app = await startProxy(url);
    const socket = connect(portOf(app), '127.0.0.1');
    socket.on('error', () => undefined).write(upgrade('/a'));
    await once(socket, 'data');
    const closed = once(socket, 'close');
    await app.close();
    await closed;
  });
});

describe('static files', () => {
  it('of a folder whose names are HTML are listed', async () => {
    using folder = tempFolder();
    mkdirSync(join(folder.path, 'b'));
    writeFileSync(join(folder.path, `<a href="x">'&`), '');
    const app = await startProxy('http://127.0.0.1:1', {
      files: { folder: folder.path, prefix: '/static/' },
    });
    expect(await raw(app, get('/static/'))).toContain(
      '<a href="%3Ca%20href=%22x%22%3E%27&">&lt;a href=&#34;x&#34;&gt;&#39;&amp;</a>\n<a href="b/">b/</a>\n',
    );
  });

  it.each(['/static/%5c..%5cb', '/static/%00', '/static/%2e%2e/b', '/static/a%2f..%2fb', '/static/%ff'])(
    'are not looked for at %s',
    async (path) => {
      using folder = tempFolder();
      const app = await startProxy('http://127.0.0.1:1', {
        files: { folder: folder.path, prefix: '/static/' },
      });
      expect(await raw(app, get(path))).toMatch(/^HTTP\/1.1 400 /);
    },
  );
});

it('a Unix socket belongs to its user only, and replaces an old one', async () => {
  using folder = tempFolder();
  const unixSocket = join(folder.path, 'socket');
  const app = createProxyServer({
    server: fixed({ server: 'http://127.0.0.1:1' }),
    filter: undefined,
    apiPrefix: '/',
    log: nullLogger,
  });
  await app.ready();
  await listen(app.server, placeOf({ address: '', port: 0, unixSocket }));
  expect(statSync(unixSocket).mode & 0o777).toBe(0o700);
  await app.close();
});
