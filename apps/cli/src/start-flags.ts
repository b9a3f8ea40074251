import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { flushCompileCache } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { collectWhenIdle } from './idle-memory.ts';
import { growYoungGeneration } from './young-generation.ts';

/** How long the flags of the start hold after the first module, in milliseconds. */
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

/** The young generation keeps its first size: loading modules would grow it to 32 MB, which stay mapped and empty. It grows with the load later. */
const smallYoungGeneration = ['--semi-space-growth-factor=1'];

/** What a start does often is not worth an optimizing compiler: the code and the memory of V8's compilers are 10 MiB of an idle server. */
const compilers = { start: ['--no-maglev', '--no-turbofan'], after: ['--maglev', '--turbofan'] };

/** Processor time after which a process compiles without a connection, in milliseconds. An empty server starts in 400 ms; a large store takes longer. */
const startCpuMs = 1_000;
const cpuCheckMs = 250;

/** Node publishes here each connection that a server accepts, or that a client opens. */
const connections = ['net.server.socket', 'net.client.socket'];

/**
 * Sets flags of V8 that keep a server small while it starts.
 *
 * V8 refuses compiled code from other flags. So Node's modules are loaded before the flags are set, and what the server has loaded is
 * written to the compile cache with them: the next start has the same flags then.
 *
 * Returns the function that writes the cache. It takes a tenth of a second when everything was compiled again: no request should wait for it.
 */
export function startSmall(command: string | undefined): () => void {
  if (without.has(command)) return () => undefined;
  for (const module of modulesOfServers) process.getBuiltinModule(module);
  const compilesLater = hasCompilers();
  const setStart = (): void => setFlags([...smallYoungGeneration, ...(compilesLater ? compilers.start : [])]);
  setStart();
  let isCompiling = false;
  if (compilesLater) {
    whenBusy(() => {
      isCompiling = true;
      setFlags(compilers.after);
    });
  }
  // Node writes the compile cache at the end of a process too.
  process.once('exit', setStart);
  const write = (): void => {
    setStart();
    flushCompileCache();
    if (isCompiling) setFlags(compilers.after);
  };
  setTimeout(() => {
    // What was loaded since: a process that is killed writes nothing at its end.
    write();
    growYoungGeneration();
    collectWhenIdle();
  }, startMs).unref();
  return write;
}

const setFlags = (flags: readonly string[]): void => flags.forEach((flag) => setFlagsFromString(flag));

/** Reports whether V8 has both compilers, and the user has set no flag that may be about them. */
function hasCompilers(): boolean {
  const [major] = process.versions.node.split('.');
  const byUser = process.execArgv.length > 0 || process.env.NODE_OPTIONS !== undefined;
  return Number(major) >= 24 && ['arm64', 'x64'].includes(process.arch) && !byUser;
}

/** Calls once, at the first connection or when the process has used `startCpuMs`. */
function whenBusy(run: () => void): void {
  const end = (): void => {
    for (const name of connections) unsubscribe(name, end);
    clearInterval(timer);
    run();
  };
  for (const name of connections) subscribe(name, end);
  const timer = setInterval(() => {
    const { user, system } = process.cpuUsage();
    if (user + system >= startCpuMs * 1_000) end();
  }, cpuCheckMs).unref();
}
