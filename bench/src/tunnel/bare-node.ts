import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startProcess, tempFolder } from '@annex/testkit';
import { memoryOf } from '../process-facts.ts';
import type { Destination } from './destination.ts';
import { idleConnections, openPage } from './rows.ts';
import type { TunnelResult } from './run.ts';

export const bareRowName = `tunnel without a tunnel: ${idleConnections} idle connections`;

const program = fileURLToPath(new URL('bare-pipe.mjs', import.meta.url));

/** Measures what Node itself needs for idle connections: the least that a server or an agent on Node can have. */
export async function runBareNode(destination: Destination): Promise<TunnelResult> {
  using folder = tempFolder('annex-bench-bare-');
  const socket = join(folder.path, 'bare.socket');
  const port = destination.address.slice(destination.address.lastIndexOf(':') + 1);
  await using running = await startProcess(process.execPath, {
    args: [program, socket, port],
    until: /listens/,
  });
  const open: Socket[] = [];
  const begin = performance.now();
  while (open.length < idleConnections) open.push(await openPage(connect(socket)));
  const value = (performance.now() - begin) / 1000;
  const memory = memoryOf(running.pid);
  for (const each of open) each.destroy();
  return {
    row: bareRowName,
    maker: 'bare Node',
    unit: 's',
    each: 'connection',
    rounds: [value],
    value,
    cpuMs: Number.NaN,
    memory: [memory],
  };
}
