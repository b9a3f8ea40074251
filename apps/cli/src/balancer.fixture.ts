import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import type { Client } from '@annex/client';

/** A TCP load balancer that sends new connections to the servers whose `/readyz` succeeds. */
export interface Balancer extends AsyncDisposable {
  url: string;
  /** Resolves when a server is, or is not, in use. */
  until(url: string, isUsed: boolean): Promise<void>;
}

/** A server behind it, and the client that asks for its readiness. */
export interface Target {
  url: string;
  admin: Client;
}

const probeMs = 25;

/** Starts a balancer of the servers that `targets` returns. */
export async function startBalancer(targets: () => readonly Target[]): Promise<Balancer> {
  let ready: readonly string[] = targets().map(({ url }) => url);
  let turn = 0;
  const probe = async ({ admin, url }: Target) =>
    (await admin.send({ path: '/readyz' }).catch(() => undefined))?.status === 200 ? [url] : [];
  const probing = setInterval(
    () => void Promise.all(targets().map(probe)).then((found) => (ready = found.flat())),
    probeMs,
  );
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const { hostname, port } = new URL(ready[turn++ % ready.length] ?? 'https://127.0.0.1:1');
    const target = connect(Number(port), hostname);
    for (const socket of [client, target]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.once('close', () => sockets.delete(socket));
    }
    client.on('error', () => target.destroy()).pipe(target);
    target.on('error', () => client.destroy()).pipe(client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async until(url, isUsed) {
      while (ready.includes(url) !== isUsed) await new Promise((resolve) => setTimeout(resolve, probeMs));
    },
    async [Symbol.asyncDispose]() {
      clearInterval(probing);
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
