import type { Cell } from '@annex/kinds';
import { humanDuration, type KubeObject } from '@annex/machinery';
import { at, listAt } from '../../shared/cells.ts';

/** The conditions of a Job, the most important first. */
const jobConditions = [
  'Complete',
  'Failed',
  'Terminating',
  'Suspended',
  'FailureTarget',
  'SuccessCriteriaMet',
];

export function jobStatus(job: KubeObject): string {
  const conditions = listAt(job, 'status.conditions').filter(({ status }) => status === 'True');
  const holds = (type: string) =>
    type === 'Terminating'
      ? job.metadata.deletionTimestamp !== undefined
      : conditions.some((c) => c.type === type);
  return jobConditions.find(holds) ?? 'Running';
}

export function completions(job: KubeObject): string {
  const succeeded = Number(at(job, 'status.succeeded') ?? 0);
  const desired = at(job, 'spec.completions');
  if (desired !== undefined) return `${succeeded}/${Number(desired)}`;
  const parallelism = Number(at(job, 'spec.parallelism') ?? 0);
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

export const jobDuration: Cell = (job, now) => {
  const start = at(job, 'status.startTime');
  if (start === undefined) return '';
  const end = at(job, 'status.completionTime');
  return humanDuration((end === undefined ? now : Date.parse(String(end))) - Date.parse(String(start)));
};
