import {
  allStatuses,
  type Condition,
  type Container,
  type ContainerStatus,
  isSidecar,
  type Pod,
  type PodStatus,
} from './pod.ts';

/** A condition without its times. */
type Finding = Pick<Condition, 'type' | 'status' | 'reason' | 'message'>;

/** Types of conditions that a kubelet maintains, in its order. */
const maintained = ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'];

/**
 * Returns the conditions of a Pod as a kubelet derives them from the statuses of its containers. Conditions of others stay, and times change
 * only with the status.
 */
export function podConditions(pod: Pod, status: PodStatus, time: string): Condition[] {
  const before = status.conditions ?? [];
  const found = new Map(before.map((condition) => [condition.type, condition]));
  const containersReady = terminal(status) ?? ready(pod, status);
  const findings: Finding[] = [
    { type: 'PodReadyToStartContainers', status: hasSandbox(pod, status) ? 'True' : 'False' },
    { type: 'Initialized', ...initialized(pod, status) },
    { type: 'Ready', ...(containersReady.status === 'True' ? gates(pod, found) : containersReady) },
    { type: 'ContainersReady', ...containersReady },
    { type: 'PodScheduled', status: 'True' },
  ];
  const conditions = findings.map((finding) => dated(finding, found.get(finding.type), pod, time));
  return [...conditions, ...before.filter(({ type }) => !maintained.includes(type))];
}

function dated(finding: Finding, before: Condition | undefined, pod: Pod, time: string): Condition {
  const { generation } = pod.metadata;
  const lastTransitionTime = before?.status === finding.status ? before.lastTransitionTime : time;
  return {
    ...finding,
    ...(generation === undefined ? {} : { observedGeneration: Number(generation) }),
    lastProbeTime: null,
    lastTransitionTime,
  };
}

const hasSandbox = (pod: Pod, status: PodStatus): boolean =>
  allStatuses(status).some(({ state }) => state.running) ||
  (terminal(status) === undefined &&
    status.podIP !== undefined &&
    pod.metadata.deletionTimestamp === undefined);

type Verdict = Omit<Finding, 'type'>;

function terminal({ phase }: PodStatus): Verdict | undefined {
  if (phase === 'Succeeded') return { status: 'False', reason: 'PodCompleted' };
  return phase === 'Failed' ? { status: 'False', reason: 'PodFailed' } : undefined;
}

function ready({ spec }: Pod, status: PodStatus): Verdict {
  const required = [...(spec.initContainers ?? []).filter(isSidecar), ...spec.containers];
  const unready = named(required, allStatuses(status), (one) => one.ready);
  if (unready.length === 0) return { status: 'True' };
  const message = `containers with unready status: [${unready.join(' ')}]`;
  return { status: 'False', reason: 'ContainersNotReady', message };
}

/** Returns the names of the containers that do not match. */
const named = (
  containers: readonly Container[],
  statuses: readonly ContainerStatus[],
  matches: (status: ContainerStatus, container: Container) => boolean,
): string[] =>
  containers
    .filter((container) => {
      const status = statuses.find(({ name }) => name === container.name);
      return status === undefined || !matches(status, container);
    })
    .map(({ name }) => name);

function initialized({ spec }: Pod, status: PodStatus): Verdict {
  if (status.phase === 'Succeeded') return { status: 'True', reason: 'PodCompleted' };
  if ((status.containerStatuses ?? []).some(hasStarted)) return { status: 'True' };
  const incomplete = named(spec.initContainers ?? [], status.initContainerStatuses ?? [], (one, container) =>
    isSidecar(container) ? one.started : one.ready,
  );
  if (incomplete.length === 0) return { status: 'True' };
  const message = `containers with incomplete status: [${incomplete.join(' ')}]`;
  return { status: 'False', reason: 'ContainersNotInitialized', message };
}

const hasStarted = ({ state, lastState }: ContainerStatus): boolean =>
  state.running !== undefined || state.terminated !== undefined || lastState.terminated !== undefined;

function gates({ spec }: Pod, found: ReadonlyMap<string, Condition>): Verdict {
  const messages = (spec.readinessGates ?? []).flatMap(({ conditionType }) => {
    const condition = found.get(conditionType);
    if (condition === undefined)
      return [`corresponding condition of pod readiness gate "${conditionType}" does not exist.`];
    if (condition.status === 'True') return [];
    return [`the status of pod readiness gate "${conditionType}" is not "True", but ${condition.status}`];
  });
  if (messages.length === 0) return { status: 'True' };
  return { status: 'False', reason: 'ReadinessGatesNotReady', message: messages.join(', ') };
}
