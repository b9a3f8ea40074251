import type { KubeObject } from '@annex/machinery';

/** The fields of a container that its life depends on. */
export interface Container {
  name: string;
  image: string;
  imagePullPolicy?: string;
  command?: string[];
  args?: string[];
  lifecycle?: { preStop?: { sleep?: { seconds?: number } } };
  restartPolicy?: string;
  resources?: { requests?: Record<string, string>; limits?: Record<string, string> };
  ports?: { hostPort?: number; hostIP?: string; protocol?: string }[];
  readinessProbe?: object;
  startupProbe?: object;
}

/** A container that is waiting, running or terminated: exactly one member is set. */
export interface ContainerState {
  waiting?: { reason: string; message?: string };
  running?: { startedAt: string };
  terminated?: Termination;
}

/** How a container ended. */
export interface Termination {
  exitCode: number;
  reason: string;
  message?: string;
  startedAt: string | null;
  finishedAt: string;
  containerID?: string;
}

/** The status of one container. */
export interface ContainerStatus {
  name: string;
  image: string;
  imageID: string;
  containerID?: string;
  ready: boolean;
  started: boolean;
  restartCount: number;
  state: ContainerState;
  lastState: ContainerState;
  resources?: Container['resources'];
  allocatedResources?: Record<string, string>;
}

/** A condition of a Pod or a Node. */
export interface Condition {
  type: string;
  status: string;
  reason?: string;
  message?: string;
  lastTransitionTime: string | null;
  lastProbeTime?: null;
  lastHeartbeatTime?: string;
  observedGeneration?: number;
}

/** The status of a Pod. */
export interface PodStatus {
  phase?: string;
  reason?: string;
  message?: string;
  startTime?: string;
  hostIP?: string;
  hostIPs?: { ip: string }[];
  podIP?: string;
  podIPs?: { ip: string }[];
  observedGeneration?: number;
  conditions?: Condition[];
  initContainerStatuses?: ContainerStatus[];
  containerStatuses?: ContainerStatus[];
}

/** A Pod, with the fields that its life depends on. */
export interface Pod extends KubeObject {
  spec: {
    nodeName?: string;
    restartPolicy?: string;
    hostNetwork?: boolean;
    activeDeadlineSeconds?: number;
    nodeSelector?: Record<string, string>;
    resources?: { requests?: Record<string, string> };
    overhead?: Record<string, string>;
    initContainers?: Container[];
    containers: Container[];
    readinessGates?: { conditionType: string }[];
  };
  status?: PodStatus;
}

/** Returns `namespace/name`. */
export const podKey = ({ metadata }: KubeObject): string => `${metadata.namespace}/${metadata.name}`;

/** True if all containers have ended for good. */
export const hasEnded = ({ status }: Pick<Pod, 'status'>): boolean =>
  status?.phase === 'Succeeded' || status?.phase === 'Failed';

/** True for an init container that runs as long as the Pod. */
export const isSidecar = (container: Container): boolean => container.restartPolicy === 'Always';

/** Returns the statuses of all containers; init containers come first. */
export const allStatuses = (status: PodStatus): ContainerStatus[] => [
  ...(status.initContainerStatuses ?? []),
  ...(status.containerStatuses ?? []),
];

/** True if a container starts again after it exited with this code. */
export function restarts(pod: Pod, container: Container, isInit: boolean, exitCode: number): boolean {
  const policy = container.restartPolicy ?? pod.spec.restartPolicy ?? 'Always';
  if (policy === 'Always') return !isInit || isSidecar(container) || exitCode !== 0;
  return policy === 'OnFailure' && exitCode !== 0;
}
