import type { PodTransition } from '../stages/stage.ts';
import { backOffMs, restartBackOffMs } from './back-off.ts';
import { endedForGood } from './phase.ts';
import {
  allStatuses,
  type Container,
  type ContainerStatus,
  hasEnded,
  isSidecar,
  type Pod,
  type PodStatus,
  restarts,
} from './pod.ts';

/** A change that a Pod waits for. */
export interface PendingChange {
  transition: PodTransition;
  /** The name of the container; empty for a change of the whole Pod. */
  container: string;
  /** The number of earlier failures of this change. */
  failures: number;
  /** Milliseconds of the delay that a kubelet defines; `undefined` where the stage decides. */
  backOffMs?: number;
}

/** What the status of a Pod does not say. */
export interface PodMemory {
  /** Containers whose image is on the node. */
  pulled: Set<string>;
  /** Failures by {@link changeKey}, since the last success. */
  failures: Map<string, number>;
}

/** Returns the text that identifies a change of a Pod. */
export const changeKey = ({
  transition,
  container,
}: Pick<PendingChange, 'transition' | 'container'>): string => `${transition}/${container}`;

/** Returns the changes that happen next. Changes of different containers happen concurrently. */
export function pendingChanges(pod: Pod, status: PodStatus, memory: PodMemory): PendingChange[] {
  if (hasEnded({ status })) return [];
  const change = (transition: PodTransition, container = '', backOff?: number): PendingChange => ({
    transition,
    container,
    failures: memory.failures.get(changeKey({ transition, container })) ?? 0,
    ...(backOff === undefined ? {} : { backOffMs: backOff }),
  });
  if (pod.metadata.deletionTimestamp !== undefined) {
    return allStatuses(status).some(({ state }) => state.running) ? [change('Terminate')] : [];
  }
  if (status.podIP === undefined) {
    const failures = memory.failures.get(changeKey({ transition: 'Sandbox', container: '' })) ?? 0;
    return [change('Sandbox', '', failures > 0 ? backOffMs(failures) : undefined)];
  }
  const { active, isOver } = activeContainers(pod, status);
  if (isOver)
    return active
      .filter(({ one }) => one.state.running)
      .map(({ container }) => change('Terminate', container.name));
  return active.flatMap((one) => containerChanges(pod, { ...one, memory }, change));
}

interface Active {
  container: Container;
  one: ContainerStatus;
  isInit: boolean;
}

/**
 * Returns the containers that run now: init containers in their order, then all others. The Pod is over when the others ended for good, or an
 * init container failed for good; then only sidecars are left.
 */
function activeContainers(pod: Pod, status: PodStatus): { active: Active[]; isOver: boolean } {
  const active: Active[] = [];
  for (const container of pod.spec.initContainers ?? []) {
    const one = status.initContainerStatuses?.find(({ name }) => name === container.name);
    if (one === undefined) return { active, isOver: false };
    const isDone = isSidecar(container) ? one.started : one.ready;
    if (!isDone && endedForGood(pod, container, one, true)) return { active, isOver: true };
    if (!isDone || isSidecar(container)) active.push({ container, one, isInit: true });
    if (!isDone) return { active, isOver: false };
  }
  const main = pod.spec.containers.flatMap((container): Active[] => {
    const one = status.containerStatuses?.find(({ name }) => name === container.name);
    return one === undefined ? [] : [{ container, one, isInit: false }];
  });
  const isOver = main.every(({ container, one }) => endedForGood(pod, container, one, false));
  return { active: [...active, ...main], isOver };
}

type Change = (transition: PodTransition, container?: string, backOffMs?: number) => PendingChange;

function containerChanges(
  pod: Pod,
  { container, one, isInit, memory }: Active & { memory: PodMemory },
  change: Change,
): PendingChange[] {
  const { name } = container;
  const { waiting, running, terminated } = one.state;
  if (running !== undefined) return runningChanges({ container, one, isInit }, change);
  if (terminated !== undefined) {
    if (!restarts(pod, container, isInit, terminated.exitCode)) return [];
    return [change('Restart', name, restartBackOffMs(one.restartCount, ranMs(one)))];
  }
  if (waiting?.reason === 'CrashLoopBackOff')
    return [change('Restart', name, restartBackOffMs(one.restartCount, ranMs(one)))];
  if (!memory.pulled.has(name)) {
    const failures = memory.failures.get(changeKey({ transition: 'Pull', container: name })) ?? 0;
    return [change('Pull', name, failures > 0 ? backOffMs(failures) : undefined)];
  }
  return [change('Start', name)];
}

const ranMs = ({ state, lastState }: ContainerStatus): number => {
  const ended = state.terminated ?? lastState.terminated;
  return ended?.startedAt ? Date.parse(ended.finishedAt) - Date.parse(ended.startedAt) : 0;
};

function runningChanges({ container, one, isInit }: Active, change: Change): PendingChange[] {
  const { name } = container;
  if (!one.started) return [change('Startup', name)];
  // The count in the status also holds after a restart of this process.
  const exit = { ...change('Exit', name), failures: one.restartCount };
  if (one.ready || (isInit && !isSidecar(container))) return [exit];
  return [change('Readiness', name), exit];
}

/** True if a container ends without a stage that says so: sidecars and containers that always restart do not. */
export function endsWithoutStage(pod: Pod, name: string): boolean {
  const init = pod.spec.initContainers?.find((container) => container.name === name);
  if (init !== undefined) return !isSidecar(init);
  const container = pod.spec.containers.find((one) => one.name === name);
  return (container?.restartPolicy ?? pod.spec.restartPolicy ?? 'Always') !== 'Always';
}
