import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, request } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** A proxy on this machine. */
export interface ProxyServer extends AsyncDisposable {
  port: number;
  /** What clients asked for: `CONNECT host:port`, the URL of a plain request, or `SOCKS type host:port`. */
  seen: string[];
}

/** An http proxy, or an https proxy with a certificate. Credentials, as `user:password`, are required if given. */
export async function startHttpProxy(
  options: { credentials?: string; tls?: { cert: string; key: string } } = {},
): Promise<ProxyServer> {
  const seen: string[] = [];
  const expected = options.credentials && `Basic ${Buffer.from(options.credentials).toString('base64')}`;
  const server = options.tls ? createHttpsServer(options.tls) : createHttpServer();
  server.on('connect', (req: IncomingMessage, client: Duplex) => {
    seen.push(`CONNECT ${req.url}`);
    if (expected !== undefined && req.headers['proxy-authorization'] !== expected) {
      client.end('HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n');
      return;
    }
    const [, host = '', port] = /^\[?(.*?)\]?:(\d+)$/.exec(req.url ?? '') ?? [];
    const upstream = connect(Number(port), host, () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n');
      joinSockets(client, upstream);
    });
    upstream.on('error', () => client.end('HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n'));
  });
  server.on('request', (req, res) => {
    seen.push(`${req.method} ${req.url}`);
    const url = new URL(req.url ?? '');
    const { 'proxy-authorization': _, ...headers } = req.headers;
    request(url, { method: req.method ?? 'GET', headers }, (upstream) => {
      res.writeHead(upstream.statusCode ?? 502, upstream.headers);
      upstream.pipe(res);
    }).end();
  });
  return await listening(server, seen);
}

/** A SOCKS5 proxy (RFC 1928, 1929). */
export async function startSocksProxy(options: { credentials?: string } = {}): Promise<ProxyServer> {
  const seen: string[] = [];
  const server = createServer(async (client) => {
    const next = reader(client);
    const [, count = 0] = await next(2);
    await next(count);
    if (options.credentials === undefined) client.write(Uint8Array.of(5, 0));
    else {
      client.write(Uint8Array.of(5, 2));
      const [, userLength = 0] = await next(2);
      const user = (await next(userLength)).toString();
      const password = (await next((await next(1))[0] ?? 0)).toString();
      const isRight = `${user}:${password}` === options.credentials;
      client.write(Uint8Array.of(1, isRight ? 0 : 1));
      if (!isRight) return client.end();
    }
    const type = (await next(4))[3] ?? 0;
    const host =
      type === 3
        ? (await next((await next(1))[0] ?? 0)).toString()
        : (await next(type === 1 ? 4 : 16)).join('.');
    const port = (await next(2)).readUInt16BE();
    seen.push(`SOCKS ${type} ${host}:${port}`);
    const upstream = connect(port, host, () => {
      client.write(Uint8Array.of(5, 0, 0, 1, 0, 0, 0, 0, 0, 0));
      joinSockets(client, upstream);
    });
    upstream.on('error', () => client.end(Uint8Array.of(5, 5, 0, 1, 0, 0, 0, 0, 0, 0)));
  });
  return await listening(server, seen);
}

/** Returns a function that reads a number of bytes. */
function reader(socket: Socket): (length: number) => Promise<Buffer> {
  return async (length) => {
    if (length === 0) return Buffer.alloc(0);
    for (;;) {
      const bytes = socket.read(length) as Buffer | null;
      if (bytes !== null) return bytes;
      await once(socket, 'readable');
      // The event comes at once where some bytes wait already.
      await new Promise(setImmediate);
    }
  };
}

function joinSockets(a: Duplex, b: Duplex): void {
  a.pipe(b).pipe(a);
  for (const [one, other] of [[a, b] as const, [b, a] as const])
    one.on('error', () => other.destroy()).on('close', () => other.destroy());
}

async function listening(server: Server, seen: string[]): Promise<ProxyServer> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    seen,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
