import { type ClientConfig, loadKubeconfig } from '@annex/client';
import { startProcesses } from '../runners/compose-runner.ts';
import type { Runner } from '../runners/runner.ts';
import { startSingle } from '../runners/single-runner.ts';
import { type Fault, processFaults } from './faults.ts';
import { startReplicas } from './replicas.ts';

/** Running servers over one store, and what can go wrong with them. */
export interface Target extends AsyncDisposable {
  servers: readonly ClientConfig[];
  faults: readonly Fault[];
}

/** The kinds of targets by name. */
export const targets: ReadonlyMap<string, () => Promise<Target>> = new Map([
  ['single', async () => await targetOf(await startSingle())],
  ['processes', async () => await targetOf(await startProcesses())],
  ['replicas', startReplicas],
]);

async function targetOf(runner: Runner): Promise<Target> {
  return {
    servers: [await loadKubeconfig(runner.kubeconfig)],
    faults: processFaults(runner),
    [Symbol.asyncDispose]: () => runner.stop(),
  };
}
