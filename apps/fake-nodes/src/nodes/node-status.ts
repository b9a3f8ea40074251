import type { Condition } from '../pods/pod.ts';
import type { Node, NodeStatus } from './node.ts';

/** The conditions of a healthy node, with kubelet's reasons and messages. */
const healthy = [
  ['MemoryPressure', 'False', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'],
  ['DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'],
  ['PIDPressure', 'False', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'],
  ['Ready', 'True', 'KubeletReady', 'kubelet is posting ready status'],
] as const;

const capacity = { cpu: '32', memory: '256Gi', pods: '110', 'ephemeral-storage': '1Ti' };

const nodeInfo = {
  architecture: 'amd64',
  bootID: '',
  containerRuntimeVersion: 'annex://fake',
  kernelVersion: '',
  kubeProxyVersion: '',
  machineID: '',
  operatingSystem: 'linux',
  osImage: 'Annex fake node',
  systemUUID: '',
};

/** What the status of a node is made of. */
export interface NodeFacts {
  /** The address, if the node has none. */
  address: string | undefined;
  kubeletVersion: string;
  time: string;
}

/** Returns the status that the kubelet of a node would report. What the node has already stays, except for its health. */
export function nodeStatus(
  { metadata, status = {} }: Node,
  { address, kubeletVersion, time }: NodeFacts,
): NodeStatus {
  const resources = status.capacity ?? capacity;
  return {
    ...status,
    conditions: [...healthConditions(status.conditions ?? [], time), ...others(status.conditions ?? [])],
    addresses: addressesOf(status.addresses ?? [], metadata.name ?? '', address),
    capacity: resources,
    allocatable: status.allocatable ?? resources,
    nodeInfo: { ...nodeInfo, kubeletVersion, ...withoutEmpty(status.nodeInfo ?? {}) },
  };
}

/** Returns the conditions of a heartbeat. */
export const healthConditions = (before: readonly Condition[], time: string): Condition[] =>
  healthy.map(([type, status, reason, message]) => {
    const old = before.find((condition) => condition.type === type);
    const lastTransitionTime = old?.status === status ? old.lastTransitionTime : time;
    return { type, status, lastHeartbeatTime: time, lastTransitionTime, reason, message };
  });

/** True if the status says that the node is healthy. */
export const isHealthy = ({ status }: Node): boolean =>
  healthy.every(([type, wanted]) =>
    status?.conditions?.some((condition) => condition.type === type && condition.status === wanted),
  );

/** Returns the capacities that the node does not offer yet: a kubelet offers resources that users add to the capacity of their node. */
export function newAllocatable({ status }: Node): Record<string, string> {
  const offered = new Set(Object.keys(status?.allocatable ?? {}));
  return Object.fromEntries(Object.entries(status?.capacity ?? {}).filter(([name]) => !offered.has(name)));
}

const maintained = new Set<string>(healthy.map(([type]) => type));
const others = (conditions: readonly Condition[]) => conditions.filter(({ type }) => !maintained.has(type));

function addressesOf(known: NonNullable<NodeStatus['addresses']>, name: string, address: string | undefined) {
  const has = (wanted: string) => known.some(({ type }) => type === wanted);
  return [
    ...(has('InternalIP') || address === undefined ? [] : [{ type: 'InternalIP', address }]),
    ...known,
    ...(has('Hostname') ? [] : [{ type: 'Hostname', address: name }]),
  ];
}

const withoutEmpty = (texts: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ''));
