import type { KubeObject } from '@annex/machinery';

export const namespacesPath = '/api/v1/namespaces';

/** A condition of a Namespace. */
export interface NamespaceCondition {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  lastTransitionTime?: string;
  reason?: string;
  message?: string;
}

/** A Namespace of `v1`. */
export interface Namespace extends KubeObject {
  spec?: { finalizers?: string[] };
  status?: { phase?: string; conditions?: NamespaceCondition[] };
}

export const isActive = (namespace: Namespace): boolean => namespace.status?.phase === 'Active';
