import { spawn } from 'node:child_process';
import { startRelay } from './relay.ts';

/** A command in a network namespace, whose only way out is a Unix socket. */
export interface NamespacedCommand {
  /** A port of the namespace that leads to a Unix socket. */
  relay: { port: number; socket: string };
  command: string;
  args: readonly string[];
}

const { relay, command, args } = JSON.parse(process.argv[2] ?? '') as NamespacedCommand;
await startRelay(relay.port, { path: relay.socket });
spawn(command, args, { stdio: 'inherit' }).once('exit', (code) => process.exit(code ?? 1));
