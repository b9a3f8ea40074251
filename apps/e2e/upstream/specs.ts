/** Specs that run in one process, by a regular expression of Go for their full names. */
export interface SpecGroup {
  name: string;
  focus: string;
  /** True if nothing else may run beside them. */
  isSerial?: boolean;
}

const apps = (name: string): SpecGroup => ({ name, focus: `\\[sig-apps\\] ${name} ` });
const serial = (area: string, name: string): SpecGroup => ({
  name,
  focus: `\\[sig-${area}\\] ${name} `,
  isSerial: true,
});

/** The specs of workloads and of scheduling. */
export const specGroups: readonly SpecGroup[] = [
  apps('CronJob'),
  apps('StatefulSet'),
  apps('DisruptionController'),
  apps('Job'),
  apps('Deployment'),
  apps('ReplicaSet'),
  apps('ReplicationController'),
  apps('TTLAfterFinished'),
  { name: 'LimitRange', focus: '\\[sig-scheduling\\] LimitRange ' },
  {
    name: 'serial specs',
    focus: '\\[sig-apps\\] (StatefulSet|DisruptionController|Job) .*\\[Serial\\]',
    isSerial: true,
  },
  serial('apps', 'ControllerRevision'),
  serial('apps', 'Daemon set'),
  serial('scheduling', 'SchedulerPredicates'),
  serial('scheduling', 'SchedulerPreemption'),
  serial('scheduling', 'SchedulerPriorities'),
];

/** Specs that no cluster without containers can pass, or that a cluster passes only with more than its defaults. */
export const excludedSpecs: readonly { reason: string; names: readonly string[] }[] = [
  {
    reason: 'They call programs in containers: exec, HTTP, probes.',
    names: [
      'serve a basic image',
      'should provide basic identity',
      'rolling updates and roll backs',
      'canary updates',
      'predictable order',
      'Burst scaling',
      'legacy replacement',
      'working (zookeeper|mysql|CockroachDB)',
      'load-balancer',
      'should evict unready pods',
      'should not evict unready pods',
    ],
  },
  {
    reason: 'Programs in containers decide how they end.',
    names: [
      'sometimes fail',
      'backoffLimitPerIndex',
      'FailIndex',
      'maxFailedIndexes',
      'successPolicy',
      'pod failure policy',
      'pod replacement policy',
      'PodFailurePolicy',
      'predecessor fails',
    ],
  },
  { reason: 'They need volumes that a driver provides.', names: ['PVC'] },
  {
    reason: 'They are about features that are off, or about nodes of a cloud.',
    names: ['OffByDefault', 'Alpha', 'Disruptive'],
  },
];
