import { freePort, startProcess, tempFolder } from '@annex/testkit';
import { runProcess } from './process-runner.ts';
import type { Runner, RunnerOptions } from './runner.ts';
import { giveKeys } from './shared-keys.ts';
import { annexCommand, annexNode } from './annex-command.ts';

/** Starts `annex up` in a new folder. */
export async function startSingle(options: RunnerOptions = {}): Promise<Runner> {
  const folder = tempFolder('annex-e2e-', options.parent);
  giveKeys(folder.path);
  const port = await freePort();
  const args = ['up', '--data-dir', folder.path, '--port', String(port)];
  args.push(`--controllers=${options.controllers ?? ''}`, ...(options.ephemeral ? ['--ephemeral'] : []));
  args.push(...(options.args ?? []));
  return await runProcess({
    name: 'annex',
    port,
    folder,
    start: () => {
      const { command = annexCommand, args: further = [] } = options.variant?.() ?? {};
      return startProcess(options.node ?? annexNode, {
        args: [command, ...args, ...further],
        env: { ...process.env, ...options.env },
        until: /annex is ready/,
      });
    },
    killSignal: 'SIGKILL',
  });
}
