import {
  type Container,
  type ContainerStatus,
  isSidecar,
  type Pod,
  type PodStatus,
  restarts,
} from './pod.ts';

/** Returns the phase of a Pod as a kubelet derives it from the statuses of its containers. */
export function podPhase(pod: Pod, status: PodStatus): string {
  const inits = pairs(pod.spec.initContainers, status.initContainerStatuses);
  const regular = inits.filter(([container]) => !isSidecar(container));
  const sidecars = inits.filter(([container]) => isSidecar(container));
  if (regular.some(([container, one]) => endedForGood(pod, container, one, true) && !one?.ready)) {
    return sidecars.some(isRunning) ? 'Pending' : 'Failed';
  }
  const main = pairs(pod.spec.containers, status.containerStatuses);
  if (!main.some(([, one]) => wasStarted(one))) return 'Pending';
  if (!main.every(([container, one]) => endedForGood(pod, container, one, false))) {
    return main.every(([, one]) => wasStarted(one)) ? 'Running' : 'Pending';
  }
  // Sidecars end after the containers.
  if (sidecars.some(isRunning)) return 'Running';
  return main.some(([, one]) => one?.state.terminated?.exitCode !== 0) ? 'Failed' : 'Succeeded';
}

type Pair = readonly [Container, ContainerStatus | undefined];

const pairs = (containers: readonly Container[] = [], statuses: readonly ContainerStatus[] = []): Pair[] =>
  containers.map((container) => [container, statuses.find(({ name }) => name === container.name)]);

const isRunning = ([, status]: Pair): boolean => status?.state.running !== undefined;

const wasStarted = (status: ContainerStatus | undefined): boolean =>
  status !== undefined && (status.state.waiting === undefined || status.lastState.terminated !== undefined);

/** True if the container is terminated and will not be restarted. */
export function endedForGood(
  pod: Pod,
  container: Container,
  status: ContainerStatus | undefined,
  isInit: boolean,
): boolean {
  const code = status?.state.terminated?.exitCode;
  if (code === undefined) return false;
  // Nothing restarts in a Pod that is being deleted.
  return pod.metadata.deletionTimestamp !== undefined || !restarts(pod, container, isInit, code);
}
