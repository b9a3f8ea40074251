import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

/** A destination on loopback. */
export interface Destination extends AsyncDisposable {
  address: string;
  server: Server;
  /** Connections that were accepted, in their order. */
  sockets: Socket[];
}

/** Starts a destination that does this with each connection. */
export async function destination(serve: (socket: Socket) => void): Promise<Destination> {
  const sockets: Socket[] = [];
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    serve(socket);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    server,
    sockets,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Sends back what it receives. */
export const echo = (): Promise<Destination> => destination((socket) => void socket.pipe(socket));

/** Sends as much as its clients read. */
export const flooding = (): Promise<Destination> =>
  destination((socket) => {
    const write = () => {
      while (socket.write(Buffer.alloc(64 * 1024)));
    };
    socket.on('drain', write);
    write();
  });
