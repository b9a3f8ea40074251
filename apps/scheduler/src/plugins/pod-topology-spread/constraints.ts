import { getOwn, type Labels, LabelSelector } from '@annex/machinery';
import type { PodTopologySpreadArgs } from '../../config/types.ts';
import { type ClusterObjects, controllerOf } from '../../cache/cluster.ts';
import type { Handle } from '../../framework/handle.ts';
import type { NodeInfo } from '../../objects/node-info.ts';
import type { TopologySpreadConstraint } from '../../objects/pod.ts';
import { compiled } from '../../objects/affinity-term.ts';
import type { PodInfo } from '../../objects/pod-info.ts';
import { isRepelled } from '../../objects/tolerations.ts';
import type { ObjectStore } from '../../cache/object-store.ts';
import type { Selecting } from '../../objects/workloads.ts';

/** A compiled constraint. */
export interface Constraint {
  readonly maxSkew: number;
  readonly topologyKey: string;
  readonly selector: LabelSelector;
  readonly minDomains: number;
  /** Nodes that the Pod cannot use by its node affinity, or by their taints, do not count. */
  readonly honorsAffinity: boolean;
  readonly honorsTaints: boolean;
}

/** What a constraint does with a Pod that fits nowhere. */
export type Action = 'DoNotSchedule' | 'ScheduleAnyway';

export const hostname = 'kubernetes.io/hostname';

const systemDefaults: readonly TopologySpreadConstraint[] = [
  { topologyKey: hostname, whenUnsatisfiable: 'ScheduleAnyway', maxSkew: 3 },
  { topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'ScheduleAnyway', maxSkew: 5 },
];

/** Returns the constraints of Pods: their own, or the defaults of the profile for Pods of a workload. */
export class SpreadConstraints {
  readonly isSystemDefaulted: boolean;
  readonly #defaults: readonly TopologySpreadConstraint[];
  readonly #objects: ClusterObjects;
  readonly #usesLabelKeys: boolean;

  constructor(
    { defaultingType, defaultConstraints }: PodTopologySpreadArgs,
    { cluster: { objects }, features }: Handle,
  ) {
    this.#usesLabelKeys = features.has('MatchLabelKeysInPodTopologySpread');
    this.isSystemDefaulted = defaultingType === 'System';
    this.#defaults = this.isSystemDefaulted ? systemDefaults : defaultConstraints;
    this.#objects = objects;
  }

  of(pod: PodInfo, action: Action): readonly Constraint[] {
    const own = pod.pod.spec.topologySpreadConstraints ?? [];
    if (own.length > 0) return compile(own, this.#usesLabelKeys ? pod.labels : {}, action);
    const defaults = this.#defaults.filter(({ whenUnsatisfiable }) => whenUnsatisfiable === action);
    if (defaults.length === 0) return [];
    const selector = workloadSelector(pod, this.#objects);
    if (selector.empty) return [];
    return compile(defaults, pod.labels, action).map((constraint) => ({ ...constraint, selector }));
  }
}

const compile = (
  constraints: readonly TopologySpreadConstraint[],
  labels: Labels,
  action: Action,
): Constraint[] =>
  constraints
    .filter(({ whenUnsatisfiable }) => whenUnsatisfiable === action)
    .map((constraint) => ({
      maxSkew: constraint.maxSkew,
      topologyKey: constraint.topologyKey,
      selector: withLabelKeys(compiled(constraint.labelSelector), constraint.matchLabelKeys ?? [], labels),
      minDomains: constraint.minDomains ?? 1,
      honorsAffinity: (constraint.nodeAffinityPolicy ?? 'Honor') === 'Honor',
      honorsTaints: constraint.nodeTaintsPolicy === 'Honor',
    }));

/** Adds the Pod's own values of `matchLabelKeys`, for servers that do not. */
function withLabelKeys(selector: LabelSelector, keys: readonly string[], labels: Labels = {}): LabelSelector {
  if (selector === LabelSelector.nothing) return selector;
  const own = keys
    .filter((key) => Object.hasOwn(labels, key))
    .map((key) => ({ key, operator: '=', values: [String(getOwn(labels, key) ?? '')] }) as const);
  return own.length === 0 ? selector : LabelSelector.of([...selector.requirements, ...own]);
}

/** Returns the selector of all Services and the controller of a Pod. */
function workloadSelector(pod: PodInfo, objects: ClusterObjects): LabelSelector {
  const labels = new Map<string, string>();
  for (const service of objects.services.values()) {
    const selector = Object.entries(service.spec?.selector ?? {}) as [string, string][];
    if (service.metadata.namespace !== pod.namespace || service.spec?.selector == null) continue;
    const isSelected = selector.every(([key, value]) => getOwn(pod.labels ?? {}, key) === value);
    if (isSelected) for (const [key, value] of selector) labels.set(key, value);
  }
  const owner = controllerOf(pod.pod);
  const stores: ReadonlyMap<string, ObjectStore<Selecting>> = new Map([
    ['apps/v1/ReplicaSet', objects.replicaSets],
    ['apps/v1/StatefulSet', objects.statefulSets],
    ['v1/ReplicationController', objects.replicationControllers],
  ]);
  const kind = `${owner?.apiVersion}/${owner?.kind}`;
  const selector = stores.get(kind)?.get(`${pod.namespace}/${owner?.name}`)?.spec?.selector;
  const requirements = [...labels].map(([key, value]) => ({ key, operator: '=', values: [value] }) as const);
  if (selector == null) return LabelSelector.of(requirements);
  const asObject = kind === 'v1/ReplicationController' ? { matchLabels: selector } : selector;
  const other = compiled(asObject as Parameters<typeof compiled>[0]);
  return LabelSelector.of([...requirements, ...other.requirements]);
}

/** Returns whether a node has the keys of all constraints. */
export const hasAllKeys = ({ labels }: NodeInfo, constraints: readonly Constraint[]): boolean =>
  constraints.every(({ topologyKey }) => labels.has(topologyKey));

/** Returns whether a node counts for a constraint. */
export const isIncluded = (constraint: Constraint, pod: PodInfo, node: NodeInfo): boolean =>
  (!constraint.honorsAffinity || pod.matchesNode(node)) &&
  (!constraint.honorsTaints || !isRepelled(pod.tolerations, node.taints));

/** Returns the number of Pods on a node that a selector matches. Terminating Pods do not count. */
export function countMatching({ pods }: NodeInfo, selector: LabelSelector, namespace: string): number {
  if (selector.empty) return 0;
  let count = 0;
  for (const pod of pods.values())
    if (pod.namespace === namespace && !pod.isTerminating && selector.matches(pod.labels)) count++;
  return count;
}
