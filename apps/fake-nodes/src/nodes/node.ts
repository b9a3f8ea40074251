import type { KubeObject } from '@annex/machinery';
import type { Condition } from '../pods/pod.ts';

/** The annotation of a fake node, with the value `fake`. Nodes that users create with it are adopted. Source: KWOK. */
export const fakeAnnotation = 'kwok.x-k8s.io/node';

/** The status of a Node. */
export interface NodeStatus {
  phase?: string;
  conditions?: Condition[];
  addresses?: { type: string; address: string }[];
  capacity?: Record<string, string>;
  allocatable?: Record<string, string>;
  nodeInfo?: Record<string, string>;
  daemonEndpoints?: { kubeletEndpoint?: { Port: number } };
}

/** A Node, with the fields that this app reads. */
export interface Node extends KubeObject {
  spec?: { taints?: { key: string; effect: string; value?: string }[]; unschedulable?: boolean };
  status?: NodeStatus;
}

/** True if this app looks after a node. */
export const isFake = ({ metadata }: KubeObject): boolean =>
  metadata.annotations?.[fakeAnnotation] === 'fake';

/** Returns the address of a node in the cluster. */
export const internalIP = ({ status }: Node): string | undefined =>
  status?.addresses?.find(({ type }) => type === 'InternalIP')?.address;
