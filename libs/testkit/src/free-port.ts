import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/**
 * Below the ports that systems give out by themselves (from 32768 on Linux, 49152 elsewhere): a port that is named now and
 * listened on a second later would be taken by any connection of another test in between.
 */
const [lowest, highest] = [15_000, 32_000];

/** A port of the loopback interface that nobody listens on now, and that nobody gets by chance. */
export function freePort(): Promise<number> {
  return freePorts(1).then(([port]) => port as number);
}

/** Several free ports, all different. */
export async function freePorts(count: number): Promise<number[]> {
  const found = new Map<number, Server>();
  try {
    while (found.size < count) {
      const port = randomInt(lowest, highest);
      const server = found.has(port) ? undefined : await listen(port);
      if (server !== undefined) found.set(port, server);
    }
    return [...found.keys()];
  } finally {
    await Promise.all([...found.values()].map((server) => new Promise((done) => server.close(done))));
  }
}

/** Resolves to `undefined` where somebody else listens. */
async function listen(port: number): Promise<Server | undefined> {
  const server = createServer();
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening');
    return server;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return undefined;
    throw error;
  }
}
