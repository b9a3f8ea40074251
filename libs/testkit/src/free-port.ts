import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

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
  const ports = new Set<number>();
  while (ports.size < count) ports.add(await freeRow(1));
  return [...ports];
}

/** The first of so many free ports in a row. */
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
