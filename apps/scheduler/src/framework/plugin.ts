import type { NodeInfo } from '../objects/node-info.ts';
import type { PodInfo } from '../objects/pod-info.ts';
import type { EventRegistration } from './cluster-event.ts';
import type { Cycle } from './cycle.ts';
import type { Handle } from './handle.ts';
import type { Status } from './status.ts';

/** A Pod in the scheduling queue. */
export interface QueuedPod {
  readonly info: PodInfo;
  /** Milliseconds of the monotonic clock: when the Pod entered the queue. */
  readonly timestamp: number;
}

/** The statuses of the nodes that refused a Pod. */
export interface NodeStatuses {
  /** The status of a node; that of absent nodes for a node that was not examined. */
  get(node: string): Status | undefined;
}

/** What postFilter found: the node where the Pod can run after an action. An empty node removes a nomination. */
export interface PostFilterResult {
  status?: Status | undefined;
  nominatedNode?: string | undefined;
}

/** The result of preScore: nothing, nothing to do, or an error. */
export type PreScoreResult = undefined | 'skip' | Status;

/** The result of preFilter: nothing, nothing to do, a refusal, or the only nodes that need to be examined. */
export type PreFilterResult = undefined | 'skip' | Status | { nodes: ReadonlySet<string> };

/**
 * A plugin implements some of the extension points, which run in this order. Points up to `permit` are synchronous, except that plugins of
 * kube-scheduler pause `preFilter` and `preScore`; the cluster does not change during a decision. A missing result is success. Errors that a plugin throws fail the cycle of the Pod.
 */
export interface Plugin {
  readonly name: string;
  /** Milliseconds after which `postFilter`, `preBind` and `bind` fail; default 30 s. Does not apply to plugins of kube-scheduler. */
  readonly timeoutMs?: number;
  /** The changes that may help a Pod that the plugin refused; default: every change. */
  readonly events?: readonly EventRegistration[];
  /** Keeps a Pod out of the queue. */
  preEnqueue?(pod: PodInfo): Status | undefined;
  /** Orders the queue. */
  less?(a: QueuedPod, b: QueuedPod): boolean;
  /** Computes what the filter needs. */
  preFilter?(cycle: Cycle, pod: PodInfo): PreFilterResult | Promise<PreFilterResult>;
  /** Adapts the state of preFilter to another Pod on a node, for what-if questions. */
  addPod?(cycle: Cycle, pod: PodInfo, other: PodInfo, node: NodeInfo): void;
  removePod?(cycle: Cycle, pod: PodInfo, other: PodInfo, node: NodeInfo): void;
  /** Decides about one node. */
  filter?(cycle: Cycle, pod: PodInfo, node: NodeInfo): Status | undefined;
  /** Makes room for a Pod that no node accepted. */
  postFilter?(
    cycle: Cycle,
    pod: PodInfo,
    statuses: NodeStatuses,
  ): PostFilterResult | Promise<PostFilterResult>;
  /** Computes what the scores need. */
  preScore?(cycle: Cycle, pod: PodInfo, nodes: readonly NodeInfo[]): PreScoreResult | Promise<PreScoreResult>;
  /** Returns the score of a node; from 0 to 100 unless `normalize` brings it there. */
  score?(cycle: Cycle, pod: PodInfo, node: NodeInfo): number;
  /** Changes the scores of all nodes in place. */
  normalize?(cycle: Cycle, pod: PodInfo, scores: number[], nodes: readonly NodeInfo[]): void;
  /** Reserves what the Pod will use on the node. */
  reserve?(cycle: Cycle, pod: PodInfo, node: string): Status | undefined;
  unreserve?(cycle: Cycle, pod: PodInfo, node: string): void;
  /** Allows, refuses or delays the binding. */
  permit?(cycle: Cycle, pod: PodInfo, node: string): { status?: Status; waitMs?: number } | undefined;
  /** Returns whether preBind has something to do. Without it, preBind always has. */
  preBindPreFlight?(cycle: Cycle, pod: PodInfo, node: string): 'skip' | undefined;
  preBind?(cycle: Cycle, pod: PodInfo, node: string): Promise<Status | undefined>;
  /** Binds the Pod; `skip` leaves it to the next plugin. */
  bind?(cycle: Cycle, pod: PodInfo, node: string): Promise<Status | 'skip' | undefined>;
  postBind?(cycle: Cycle, pod: PodInfo, node: string): void;
}

/** A plugin that profiles can enable. */
export interface PluginDefinition {
  readonly name: string;
  /** Creates the plugin of one profile. `args` are those of `pluginConfig`. Throws an Error for invalid arguments. */
  create(args: unknown, handle: Handle): Plugin;
}

/** Declares a plugin of kube-scheduler. Its arguments were validated with the configuration. */
export const builtInPlugin = <A = unknown>(
  name: string,
  create: (args: A, handle: Handle) => Omit<Plugin, 'name'>,
): PluginDefinition => ({
  name,
  create: (args, handle) => ({ ...create(args as A, handle), name }),
});
