import type { KubeObject } from '@annex/machinery';
import type { ResourceList } from './pod.ts';

export interface Taint {
  key: string;
  value?: string;
  effect: string;
}

/** A Node, with the fields that decide about Pods. */
export interface Node extends KubeObject {
  spec?: { unschedulable?: boolean; taints?: readonly Taint[] };
  status?: {
    allocatable?: ResourceList;
    images?: readonly { names?: readonly string[] | null; sizeBytes?: number }[];
    conditions?: readonly { type: string; status: string }[];
    declaredFeatures?: readonly string[];
  };
}
