import type { KubeObject, LabelSelectorObject } from '@annex/machinery';

/** Services, ReplicationControllers, ReplicaSets and StatefulSets: what they select. */
export interface Selecting extends KubeObject {
  spec?: { selector?: Record<string, unknown> | null };
}

export interface PodDisruptionBudget extends KubeObject {
  spec?: { selector?: LabelSelectorObject };
  status?: { disruptionsAllowed?: number; disruptedPods?: Readonly<Record<string, string>> };
}
