import { join } from 'node:path';
import type { RunningProcess, TempFolder } from '@annex/testkit';
import type { Runner } from './runner.ts';

/** A server that is one process, with its data and keys in a folder. */
export interface ServerProcess {
  /** Name of the process in {@link Runner.pids}. */
  name: string;
  port: number;
  /** Removed when the server has stopped. */
  folder: TempFolder;
  start(): Promise<RunningProcess>;
  /** The signal that ends the process immediately. */
  killSignal: NodeJS.Signals;
}

/** Starts the process; it keeps folder and port over restarts. */
export async function runProcess(server: ServerProcess): Promise<Runner> {
  const { name, port, folder, start, killSignal } = server;
  const before: string[] = [];
  let running = await start();
  // A suite that kills the process expects its exit code.
  let isKilled = false;
  const stop = async () => {
    const code = await running.stop('SIGTERM');
    folder[Symbol.dispose]();
    if (code !== 0 && !isKilled) throw new Error(`${name} ended with ${code}:\n${running.lines.join('\n')}`);
  };
  return {
    url: `https://127.0.0.1:${port}`,
    apps: () => new Map(),
    kubeconfig: join(folder.path, 'admin.kubeconfig'),
    pki: join(folder.path, 'pki'),
    dataDir: folder.path,
    lines: () => [...before, ...running.lines],
    pids: () => new Map([[name, running.pid]]),
    kill(_name, signal = killSignal) {
      isKilled = true;
      return running.stop(signal);
    },
    async restart(signal = 'SIGTERM') {
      await running.stop(signal);
      before.push(...running.lines);
      running = await start();
      isKilled = false;
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
