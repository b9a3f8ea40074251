import { flushCompileCache } from 'node:module';
import { setFlagsFromString } from 'node:v8';

/** How long the young generation stays small after the first module, in milliseconds. */
const startMs = 4_000;

/** Commands that end soon, and the scheduler, which has much to do at its start: it decides about all Pods that wait. */
const without: ReadonlySet<string | undefined> = new Set([
  undefined,
  ...['check', 'completion', 'envtest', 'health', 'kubeconfig', 'migrate', 'pki', 'restore', 'scheduler'],
  ...['snapshot', 'trace', 'version', 'why-pending'],
]);

/** Modules of Node that every server loads. */
const modulesOfServers = [
  ...['node:cluster', 'node:crypto', 'node:dns', 'node:fs/promises', 'node:http2', 'node:https'],
  ...['node:worker_threads', 'node:zlib'],
];

/**
 * Keeps V8's young generation at its first size while a server starts. Loading modules would grow it to 32 MB, which stay mapped and
 * empty afterwards. It grows with the load later.
 *
 * V8 refuses compiled code from other flags. So Node's modules are loaded before the flag is set, and what the server has loaded is
 * written to the compile cache before the flag changes again: the next start has the same flags then.
 */
export function startSmall(command: string | undefined): void {
  if (without.has(command)) return;
  for (const module of modulesOfServers) process.getBuiltinModule(module);
  setFlagsFromString('--semi-space-growth-factor=1');
  setTimeout(() => {
    flushCompileCache();
    setFlagsFromString('--semi-space-growth-factor=2');
  }, startMs).unref();
}
