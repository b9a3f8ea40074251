import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { LeaderElection } from '@annex/client';
import { formatTime, type KubeObject } from '@annex/machinery';
import type { Part } from '@annex/runtime';
import type { SchedulerConfig } from './config/types.ts';
import type { SchedulerApp, SchedulerAppDeps } from './scheduler-app.ts';

/** Schedules from the start on. */
export const alwaysLeading = (scheduler: SchedulerApp): Part => ({
  name: 'leader',
  start: () => void scheduler.synced.then(() => scheduler.schedule()),
});

/** Options of {@link createElection}. */
export interface ElectionOptions {
  config: SchedulerConfig;
  deps: SchedulerAppDeps;
  /** Called when another process may lead. */
  lost(): void;
}

/** Returns the election that the configuration describes. */
export function createElection(
  { api }: SchedulerApp,
  { config, deps, lost }: ElectionOptions,
): LeaderElection {
  const { resourceName, resourceNamespace, leaseDurationMs, renewDeadlineMs, retryPeriodMs } =
    config.leaderElection;
  const identity = `${hostname()}_${randomUUID()}`;
  const times = { leaseDurationMs, renewDeadlineMs, retryPeriodMs };
  return new LeaderElection(
    api,
    { ...times, identity, lost, name: resourceName, namespace: resourceNamespace },
    deps,
  );
}

/** Schedules while this process holds the Lease, and releases it when no binding runs. */
export const electionPart = (
  scheduler: SchedulerApp,
  election: LeaderElection,
  { config, lost }: Pick<ElectionOptions, 'config' | 'lost'>,
): Part => ({
  name: 'leader election',
  start() {
    void scheduler.synced.then(() =>
      election.start({
        started(lease) {
          scheduler.schedule();
          const component = config.profiles[0]?.schedulerName ?? '';
          recordLeader(scheduler, lease, `${election.identity} became leader`, component);
        },
        lost,
      }),
    );
  },
  stop: () => election.stop(() => scheduler.finish()),
});

/** Writes kube-scheduler's event about the Lease, which is one of the older API. */
function recordLeader(
  { api }: SchedulerApp,
  { metadata }: KubeObject,
  message: string,
  component: string,
): void {
  const { namespace = '', name = '', uid, resourceVersion } = metadata;
  const time = formatTime(Date.now());
  api
    .json({
      method: 'POST',
      path: `/api/v1/namespaces/${encodeURIComponent(namespace)}/events`,
      body: {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { namespace, name: `${name}.${(BigInt(Date.now()) * 1_000_000n).toString(16)}` },
        involvedObject: {
          apiVersion: 'coordination.k8s.io/v1',
          kind: 'Lease',
          namespace,
          name,
          uid,
          resourceVersion,
        },
        reason: 'LeaderElection',
        message,
        source: { component },
        firstTimestamp: time,
        lastTimestamp: time,
        count: 1,
        type: 'Normal',
        reportingComponent: component,
        reportingInstance: '',
      },
    })
    .catch(() => undefined);
}
