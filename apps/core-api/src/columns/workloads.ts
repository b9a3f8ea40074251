import { humanDuration, type KubeObject, tableOf } from '@annex/machinery';
import { age, type Cell } from '@annex/kinds';
import {
  at,
  count,
  labelsText,
  listAt,
  number,
  podCells,
  selectorText,
  someOf,
  text,
} from '../kinds/shared/cells.ts';

type Cells = Readonly<Record<string, Cell>>;

const selector: Cell = (object) => selectorText(at(object, 'spec.selector'));
const replicas: Cell = (object) =>
  `${Number(at(object, 'status.readyReplicas') ?? 0)}/${Number(at(object, 'spec.replicas') ?? 0)}`;

/** The conditions of a Job, the one that counts first. */
const jobConditions = [
  'Complete',
  'Failed',
  'Terminating',
  'Suspended',
  'FailureTarget',
  'SuccessCriteriaMet',
];

function jobStatus(job: KubeObject): string {
  const conditions = listAt(job, 'status.conditions').filter(({ status }) => status === 'True');
  const holds = (type: string) =>
    type === 'Terminating'
      ? job.metadata.deletionTimestamp !== undefined
      : conditions.some((c) => c.type === type);
  return jobConditions.find(holds) ?? 'Running';
}

function completions(job: KubeObject): string {
  const succeeded = Number(at(job, 'status.succeeded') ?? 0);
  const wanted = at(job, 'spec.completions');
  if (wanted !== undefined) return `${succeeded}/${Number(wanted)}`;
  const parallelism = Number(at(job, 'spec.parallelism') ?? 0);
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

const jobDuration: Cell = (job, now) => {
  const start = at(job, 'status.startTime');
  if (start === undefined) return '';
  const end = at(job, 'status.completionTime');
  return humanDuration((end === undefined ? now : Date.parse(String(end))) - Date.parse(String(start)));
};

const controller: Cell = (object) => {
  const owner = object.metadata.ownerReferences?.find((reference) => reference.controller === true);
  if (owner === undefined) return '<none>';
  const slash = owner.apiVersion.indexOf('/');
  const group = slash < 0 ? '' : `.${owner.apiVersion.slice(0, slash)}`;
  return `${owner.kind.toLowerCase()}${group}/${owner.name}`;
};

const percent = (value: unknown, fallback: string) => (value === undefined ? fallback : `${String(value)}%`);

/** Where the numbers of a metric stand, by its type. */
const metricFields = tableOf({
  ContainerResource: 'containerResource',
  External: 'external',
  Object: 'object',
  Pods: 'pods',
  Resource: 'resource',
});

function metric(spec: unknown, status: unknown): string {
  const type = String(at(spec, 'type'));
  const field = metricFields.get(type);
  if (field === undefined) return '<unknown type>';
  const target = at(spec, `${field}.target`);
  const current = at(status, `${field}.current`);
  const average = at(target, 'averageValue');
  const known = (path: string) => String(at(current, path) ?? '<unknown>');
  if (type === 'Resource' || type === 'ContainerResource') {
    const name = String(at(spec, `${field}.name`));
    if (average !== undefined) return `${name}: ${known('averageValue')}/${String(average)}`;
    const now = percent(at(current, 'averageUtilization'), '<unknown>');
    return `${name}: ${now}/${percent(at(target, 'averageUtilization'), '<auto>')}`;
  }
  if (type === 'Pods') return `${known('averageValue')}/${String(average)}`;
  if (average !== undefined) return `${known('averageValue')}/${String(average)} (avg)`;
  return `${known('value')}/${String(at(target, 'value'))}`;
}

/** The targets of an autoscaler; those of `autoscaling/v1` are read from its one number. */
function targets(object: KubeObject): string {
  const cpu = at(object, 'spec.targetCPUUtilizationPercentage');
  if (cpu !== undefined) {
    return `cpu: ${percent(at(object, 'status.currentCPUUtilizationPercentage'), '<unknown>')}/${percent(cpu, '')}`;
  }
  const statuses = listAt(object, 'status.currentMetrics');
  return someOf(
    listAt(object, 'spec.metrics').map((spec, i) => metric(spec, statuses[i])),
    2,
    '<none>',
    ', ',
  );
}

const boolText: Cell = (object) => {
  const value = at(object, 'spec.suspend');
  return value === undefined ? '<unset>' : value === true ? 'True' : 'False';
};

/** The cells of apps, batch, autoscaling and policy, by group and resource. */
export const workloadCells: Readonly<Record<string, Cells>> = {
  'apps/controllerrevisions': { Controller: controller, Revision: number('revision') },
  'apps/daemonsets': {
    Desired: number('status.desiredNumberScheduled'),
    Current: number('status.currentNumberScheduled'),
    Ready: number('status.numberReady'),
    'Up-to-date': number('status.updatedNumberScheduled'),
    Available: number('status.numberAvailable'),
    'Node Selector': (object) => labelsText(at(object, 'spec.template.spec.nodeSelector')),
    ...podCells('spec.template', selector),
  },
  'apps/deployments': {
    Ready: replicas,
    'Up-to-date': number('status.updatedReplicas'),
    Available: number('status.availableReplicas'),
    ...podCells('spec.template', selector),
  },
  'apps/replicasets': {
    Desired: number('spec.replicas'),
    Current: number('status.replicas'),
    Ready: number('status.readyReplicas'),
    ...podCells('spec.template', selector),
  },
  'apps/statefulsets': { Ready: replicas, ...podCells('spec.template') },
  'batch/cronjobs': {
    Schedule: text('spec.schedule'),
    Timezone: text('spec.timeZone', '<none>'),
    Suspend: boolText,
    Active: count('status.active'),
    'Last Schedule': (object, now) => {
      const last = at(object, 'status.lastScheduleTime');
      return last === undefined ? '<none>' : age(String(last), now);
    },
    ...podCells('spec.jobTemplate.spec.template', (o) =>
      selectorText(at(o, 'spec.jobTemplate.spec.selector')),
    ),
  },
  'batch/jobs': {
    Status: jobStatus,
    Completions: completions,
    Duration: jobDuration,
    ...podCells('spec.template', selector),
  },
  'autoscaling/horizontalpodautoscalers': {
    Reference: (o) =>
      `${String(at(o, 'spec.scaleTargetRef.kind'))}/${String(at(o, 'spec.scaleTargetRef.name'))}`,
    Targets: targets,
    MinPods: text('spec.minReplicas', '<unset>'),
    MaxPods: number('spec.maxReplicas'),
    Replicas: number('status.currentReplicas'),
  },
  'policy/poddisruptionbudgets': {
    'Min Available': text('spec.minAvailable', 'N/A'),
    'Max Unavailable': text('spec.maxUnavailable', 'N/A'),
    'Allowed Disruptions': number('status.disruptionsAllowed'),
  },
};
