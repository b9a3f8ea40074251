import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';

/** An HTTP proxy that maps every destination to one port of this machine. */
export interface ConnectServer extends AsyncDisposable {
  /** The port; 0 on a Unix socket. */
  port: number;
  /** The heads of the requests. */
  heads: string[];
  /** The open connections of clients. */
  connections(): readonly Socket[];
}

/** What the proxy responds: bytes before it joins the connections, or instead of it. */
export type ConnectResponse = (head: string) => { response: string; joins: boolean };

/** The response of the proxy server of Konnectivity. */
const established: ConnectResponse = () => ({
  response: 'HTTP/1.1 200 Connection Established\r\n\r\n',
  joins: true,
});

/** Starts an HTTP proxy on a Unix socket, or on a port, with TLS if it has options. */
export async function startConnectServer(
  to: number,
  { path, respond = established, tls }: { path?: string; respond?: ConnectResponse; tls?: TlsOptions },
): Promise<ConnectServer> {
  const heads: string[] = [];
  const sockets = new Set<Socket>();
  const serve = (client: Socket): void => {
    client.on('error', () => undefined);
    client.once('data', (bytes: Buffer) => {
      const head = bytes.toString('latin1');
      heads.push(head);
      const { joins, response } = respond(head);
      client.write(response);
      if (!joins) return void client.end();
      const upstream = connect(to, '127.0.0.1');
      upstream.on('error', () => client.destroy());
      client.pipe(upstream).pipe(client);
    });
  };
  const server: Server = tls
    ? createTlsServer({ ...tls, allowHalfOpen: true }, serve)
    : createServer({ allowHalfOpen: true }, serve);
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
  });
  await once(path === undefined ? server.listen(0, '127.0.0.1') : server.listen(path), 'listening');
  return {
    port: path === undefined ? (server.address() as AddressInfo).port : 0,
    heads,
    connections: () => [...sockets],
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
