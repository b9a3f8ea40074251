import { startProcesses, startProcessesOnEtcd } from './compose-runner.ts';
import { startReplicas } from './replicas-runner.ts';
import type { Runner, RunnerOptions } from './runner.ts';
import { shareProcesses, shareSingle } from './shared-runner.ts';
import { startSingle } from './single-runner.ts';

type Start = (options?: RunnerOptions) => Promise<Runner>;

const runners: Readonly<Record<string, Start>> = {
  single: startSingle,
  processes: startProcesses,
  'shared-single': shareSingle,
  'shared-processes': shareProcesses,
  etcd: startProcessesOnEtcd,
  replicas: startReplicas,
};

/** Starts Annex with the runner in `ANNEX_RUNNER`, by default as a `single` process. */
export const startAnnex: Start = (options) => {
  const name = process.env.ANNEX_RUNNER ?? 'single';
  const start = Object.hasOwn(runners, name) ? runners[name] : undefined;
  if (start === undefined)
    throw new Error(`ANNEX_RUNNER=${name} is none of ${Object.keys(runners).join(', ')}`);
  return start(options);
};
