import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';

/**
 * A TCP load balancer that sends new connections to the servers whose `/readyz` succeeds.
 * A connection that a server refuses goes to the next one, as with `option redispatch` of HAProxy.
 */
export interface Balancer extends AsyncDisposable {
  url: string;
  /** Resolves when a server is, or is not, in use. */
  until(url: string, isUsed: boolean): Promise<void>;
}

/** A server behind it. */
export interface BalancedServer {
  url: string;
  /** Resolves to whether its `/readyz` succeeds. */
  isReady(): Promise<boolean>;
}

const probeMs = 25;

/** Starts a balancer of the servers that `targets` returns. */
export async function startBalancer(targets: () => readonly BalancedServer[]): Promise<Balancer> {
  let ready: readonly string[] = targets().map(({ url }) => url);
  let turn = 0;
  const probe = async (server: BalancedServer) => ((await server.isReady()) ? [server.url] : []);
  let isClosed = false;
  // One round after the other: a late result never replaces a newer one.
  const probing = (async () => {
    while (!isClosed) {
      ready = (await Promise.all(targets().map(probe))).flat();
      await setTimeout(probeMs);
    }
  })();
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.once('close', () => sockets.delete(socket));
  };
  const server = createServer((client) => {
    keep(client);
    client.on('error', () => client.destroy());
    const forward = (refusals: number): void => {
      const { hostname, port } = new URL(ready[turn++ % ready.length] ?? 'https://127.0.0.1:1');
      const target = connect(Number(port), hostname);
      keep(target);
      let isConnected = false;
      target.once('connect', () => {
        isConnected = true;
        client.pipe(target).pipe(client);
      });
      client.once('close', () => target.destroy());
      target.on('error', () => {
        if (isConnected || refusals === targets().length) client.destroy();
        else forward(refusals + 1);
      });
    };
    forward(0);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async until(url, isUsed) {
      while (ready.includes(url) !== isUsed) await setTimeout(probeMs);
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
      await probing;
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
