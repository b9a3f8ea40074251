import type { Clock, Logger } from '@annex/runtime';
import type { Cluster } from '../cache/cluster.ts';
import type { Extender } from '../extenders/extender.ts';
import type { NodeInfo } from '../objects/node-info.ts';
import type { PodInfo } from '../objects/pod-info.ts';
import type { SchedulerApi } from '../api/scheduler-api.ts';
import type { EventRecorder } from '../api/event-recorder.ts';
import type { FeatureGates } from '../config/feature-gates.ts';
import type { Cycle } from './cycle.ts';
import type { Status } from './status.ts';

/** What plugins get of the scheduler. */
export interface Handle {
  readonly schedulerName: string;
  readonly cluster: Cluster;
  readonly features: FeatureGates;
  readonly api: SchedulerApi;
  readonly recorder: EventRecorder;
  readonly clock: Clock;
  readonly log: Logger;
  readonly extenders: readonly Extender[];
  /** Pods that preemption has promised a place on a node. */
  nominatedPods(node: string): readonly PodInfo[];
  /** Runs the filters of the profile, with nominated Pods of the same or a higher priority on the node. */
  filterNode(cycle: Cycle, pod: PodInfo, node: NodeInfo): Status | undefined;
  /** Tells the plugins that a Pod is on a node, or not: for what-if questions. */
  addPod(cycle: Cycle, pod: PodInfo, other: PodInfo, node: NodeInfo): void;
  removePod(cycle: Cycle, pod: PodInfo, other: PodInfo, node: NodeInfo): void;
  /** Moves a Pod to the active queue. */
  activate(pod: PodInfo): void;
}
