import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A TCP proxy of an etcd server, which stands for its outages. */
export interface Outage extends AsyncDisposable {
  readonly port: number;
  /** Accepts connections and bytes, and passes nothing on: as an etcd that is stopped by SIGSTOP, or behind a partition. */
  freeze(): void;
  /** Closes all connections and refuses new ones: as an etcd that was killed. */
  kill(): Promise<void>;
  /** Serves again on the same port. */
  end(): Promise<void>;
}

/** Starts a proxy of a port of this machine. */
export async function startOutage(target: number): Promise<Outage> {
  const sockets = new Set<Socket>();
  let isFrozen = false;
  const open = (socket: Socket) => {
    sockets.add(socket.setNoDelay(true));
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
    if (isFrozen) socket.pause();
  };
  const link = (client: Socket) => {
    const server = connect(target, '127.0.0.1');
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      from.on('data', (bytes) => to.write(bytes));
      from.once('close', () => to.destroy());
      open(from);
    }
  };
  const listen = async (port: number): Promise<Server> => {
    const server = createServer(link).listen(port, '127.0.0.1');
    await once(server, 'listening');
    return server;
  };
  const destroyAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  let listener = await listen(0);
  const { port } = listener.address() as AddressInfo;
  const close = async () => {
    if (!listener.listening) return;
    const closed = once(listener, 'close');
    listener.close();
    destroyAll();
    await closed;
  };
  return {
    port,
    freeze() {
      isFrozen = true;
      for (const socket of sockets) socket.pause();
    },
    kill: close,
    async end() {
      isFrozen = false;
      for (const socket of sockets) socket.resume();
      if (!listener.listening) listener = await listen(port);
    },
    [Symbol.asyncDispose]: close,
  };
}
