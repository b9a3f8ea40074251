import { spawnSync } from 'node:child_process';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { startProcess } from '@annex/testkit';
import { type Printed, runCommand } from '../command.ts';
import { patienceMs } from '../patience.ts';
import type { NamespacedCommand } from './command-in-namespace.ts';
import type { InsideOptions } from './inside-namespace.ts';
import { startRelay } from './relay.ts';

/** A network namespace: nothing outside of it is reached, but for one port of this machine. */
export interface Namespace extends AsyncDisposable {
  /** A port and a path of the agent; `stop` ends it. Resolves to the response or the exit code. */
  request(command: `${number}/${string}` | 'stop'): Promise<string>;
}

/** An address of the namespace besides loopback. */
export const namespaceAddress = '10.97.0.1';

const flags = ['-r', '-n', '-p', '--fork', '--kill-child'];
const withAddress = `ip link set lo up && ip addr add ${namespaceAddress}/32 dev lo`;

/** True if this machine lets users create network namespaces. If not, says so. */
export function requireNamespaces(suite: string): boolean {
  const { status, stderr } = spawnSync('unshare', [...flags, 'sh', '-c', withAddress], { encoding: 'utf8' });
  if (status !== 0) process.stderr.write(`SKIPPED ${suite}: no network namespaces: ${stderr}\n`);
  return status === 0;
}

/** Starts an extension server and an agent in a namespace, in which `relayPort` leads to a port of this machine. */
export async function startNamespace(
  folder: string,
  { extension, agent, relayPort }: Pick<InsideOptions, 'extension' | 'agent'> & { relayPort: number },
  to: number,
): Promise<Namespace> {
  const [socket, control] = [join(folder, 'relay.socket'), join(folder, 'control.socket')];
  const relay = await startRelay(socket, { port: to, host: '127.0.0.1' });
  const options: InsideOptions = { extension, agent, control, relay: { port: relayPort, socket } };
  const script = fileURLToPath(new URL('inside-namespace.ts', import.meta.url));
  const inside = `${withAddress} && exec "$0" "$@"`;
  const args = [...flags, 'sh', '-c', inside, process.execPath, script, JSON.stringify(options)];
  const running = await startProcess('unshare', { args, until: /the namespace is ready/ });
  return {
    async request(command) {
      const connection = connect(control);
      connection.write(command);
      return await text(connection);
    },
    async [Symbol.asyncDispose]() {
      await running.stop('SIGKILL');
      relay.close();
    },
  };
}

/** Runs a command in a namespace in which `relayPort` leads to a port of this machine, until it ends. */
export async function runInNamespace(
  folder: string,
  { relayPort, to }: { relayPort: number; to: number },
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<Printed> {
  const socket = join(folder, 'relay.socket');
  const relay = await startRelay(socket, { port: to, host: '127.0.0.1' });
  const script = fileURLToPath(new URL('command-in-namespace.ts', import.meta.url));
  const inside: NamespacedCommand = { relay: { port: relayPort, socket }, command, args };
  const run = [...flags, 'sh', '-c', 'ip link set lo up && exec "$0" "$@"', process.execPath, script];
  try {
    return await runCommand('unshare', [...run, JSON.stringify(inside)], { env, timeout: 2 * patienceMs });
  } finally {
    relay.close();
  }
}
