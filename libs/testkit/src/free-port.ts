import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the ephemeral ports of the system (from 32768 on Linux, 49152 elsewhere): otherwise a connection of
 * another test could take the port before it is used.
 */
const [lowest, highest] = [15_000, 32_000];

/** Returns a port of the loopback interface that is free and that the system does not assign. */
export function freePort(): Promise<number> {
  return freePorts(1).then(([port]) => port as number);
}

/** Several free ports, all different. */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) ports.add(await freeRow(1));
  return [...ports];
}

/** Returns the first of consecutive free ports. */
export async function freeRow(length: number): Promise<number> {
  for (;;) {
    const first = randomInt(lowest, highest - length);
    const row = await Promise.all(Array.from({ length }, (_, i) => isFree(first + i)));
    if (row.every(Boolean)) return first;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false;
    throw error;
  }
  await new Promise((done) => server.close(done));
  return true;
}
