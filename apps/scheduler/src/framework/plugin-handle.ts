import type { ClientRequest } from '@annex/client';
import type { KubeObject, Labels } from '@annex/machinery';
import type { Logger } from '@annex/runtime';
import type { SchedulerEvent } from '../api/event-recorder.ts';
import type { ClusterObjects } from '../cache/cluster.ts';
import type { NodeInfo } from '../objects/node-info.ts';
import type { PodInfo } from '../objects/pod-info.ts';
import type { Cycle } from './cycle.ts';
import type { Handle } from './handle.ts';
import type { Status } from './status.ts';

/** The cluster as the scheduler sees it. It changes between decisions only. */
export interface ClusterView {
  /** The nodes, each with the Pods that are bound to it or being bound. */
  readonly nodes: readonly NodeInfo[];
  node(name: string): NodeInfo | undefined;
  /** All Pods that have not ended, by `namespace/name`. */
  readonly pods: ReadonlyMap<string, PodInfo>;
  /** The labels of a namespace. */
  namespaceLabels(namespace: string): Labels;
  /** Other objects, by resource: `objects.claims.get('namespace/name')`. Those without a namespace have their name as key. */
  readonly objects: {
    readonly [Resource in keyof ClusterObjects]: Pick<ClusterObjects[Resource], 'get' | 'values'>;
  };
}

/** What a plugin can use of its scheduler. */
export interface PluginHandle {
  /** The name of the profile. */
  readonly schedulerName: string;
  readonly cluster: ClusterView;
  readonly log: Logger;
  /** Sends a request to the API server as the user of the scheduler; it ends with the scheduler. Throws StatusError. */
  request<T = KubeObject>(request: Omit<ClientRequest, 'signal'>): Promise<T>;
  /** Records an event about an object, with the profile as its controller. */
  recordEvent(event: SchedulerEvent): void;
  /** Pods that preemption has promised a place on a node. */
  nominatedPods(node: string): readonly PodInfo[];
  /** Runs the filters of the profile, with nominated Pods of the same or a higher priority on the node. */
  filterNode(cycle: Cycle, pod: PodInfo, node: NodeInfo): Status | undefined;
  /** Lets a waiting Pod be tried again at once. */
  activate(pod: PodInfo): void;
}

/** Returns the part of a handle that plugins of users get. */
export const pluginHandle = (handle: Handle): PluginHandle => ({
  schedulerName: handle.schedulerName,
  cluster: handle.cluster,
  log: handle.log,
  request: (request) => handle.api.json(request),
  recordEvent: (event) => handle.recorder.record(event),
  nominatedPods: (node) => handle.nominatedPods(node),
  filterNode: (...what) => handle.filterNode(...what),
  activate: (pod) => handle.activate(pod),
});
