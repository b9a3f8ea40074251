import { join } from 'node:path';
import { freePort, type RunningProcess, startProcess, tempFolder } from '@annex/testkit';
import type { Runner, RunnerOptions } from './runner.ts';

const main = new URL('../../cli/src/main.ts', import.meta.url).pathname;

/** Starts `annex up` in a folder of its own. */
export async function startSingle(options: RunnerOptions = {}): Promise<Runner> {
  const folder = tempFolder('annex-e2e-', options.parent);
  const port = await freePort();
  const args = [main, 'up', '--data-dir', folder.path, '--port', String(port)];
  args.push(`--controllers=${options.controllers ?? ''}`, ...(options.ephemeral ? ['--ephemeral'] : []));
  args.push(...(options.args ?? []));
  const before: string[] = [];
  const start = (): Promise<RunningProcess> =>
    startProcess(process.execPath, { args, until: /annex is ready/ });
  let running = await start();
  const stop = async () => {
    await running.stop('SIGTERM');
    folder[Symbol.dispose]();
  };
  return {
    url: `https://127.0.0.1:${port}`,
    apps: () => new Map(),
    kubeconfig: join(folder.path, 'admin.kubeconfig'),
    pki: join(folder.path, 'pki'),
    dataDir: folder.path,
    lines: () => [...before, ...running.lines],
    pids: () => new Map([['annex', running.pid]]),
    kill: async (_name, signal = 'SIGKILL') => void (await running.stop(signal)),
    async restart(signal = 'SIGTERM') {
      await running.stop(signal);
      before.push(...running.lines);
      running = await start();
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
