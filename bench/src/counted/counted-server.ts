import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadKubeconfig } from '@annex/client';
import { tempFolder } from '@annex/testkit';
import { startAnnex, Target } from '../target.ts';

/**
 * Without V8's compilers, what a request allocates does not depend on what was compiled when. The young generation holds a slice, so that no
 * garbage is collected in between.
 */
const nodeArgs = [
  ...['--no-opt', '--no-maglev', '--no-sparkplug', '--expose-gc'],
  ...['--min-semi-space-size=64', '--max-semi-space-size=64'],
  ...['--import', fileURLToPath(new URL('heap-reporter.ts', import.meta.url))],
];
const args = ['--controllers=', '--log-level', 'error', '--ephemeral', '--max-loop-stall', '0'];

/** An Annex whose allocations can be counted. */
export interface CountedServer extends AsyncDisposable {
  target: Target;
  /** Resolves to the bytes that the server allocated during an action. */
  allocated(action: () => Promise<unknown>): Promise<number>;
}

export async function startCountedServer(): Promise<CountedServer> {
  const folder = tempFolder('annex-counted-');
  const annex = await startAnnex(folder.path, args, nodeArgs);
  const config = await loadKubeconfig(join(folder.path, 'admin.kubeconfig'));
  const target = new Target('annex', config, [annex.pid], async () => void (await annex.stop()));
  let reports = 0;
  const report = async (): Promise<{ before: number; after: number }> => {
    annex.kill('SIGUSR2');
    const [, before, after] = await annex.waitFor(new RegExp(`^heap ${++reports}: (\\d+) (\\d+)$`));
    return { before: Number(before), after: Number(after) };
  };
  return {
    target,
    async allocated(action) {
      const { after } = await report();
      await action();
      const { before } = await report();
      return before - after;
    },
    async [Symbol.asyncDispose]() {
      await target[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}
