import { tableOf } from '@annex/machinery';
import type { ResourceKind } from '@annex/kinds';

/** Go packages of internal types whose name is not that of the group. */
const packages = tableOf({ '': 'core', 'events.k8s.io': 'core' });

/**
 * Returns the Go type of a kind or its list, as kube-apiserver's errors name it: `*core.Pod`,
 * `*unstructured.Unstructured`.
 */
export function goTypeOf(
  { behavior: { typed }, group }: Pick<ResourceKind, 'behavior' | 'group'>,
  name: string,
  isList = false,
): string {
  if (!typed && name !== 'Scale')
    return isList ? '*unstructured.UnstructuredList' : '*unstructured.Unstructured';
  // Scales of custom resources have their version, other Scales the internal form of their group.
  if (name === 'Scale') return typed ? '*autoscaling.Scale' : '*v1.Scale';
  return `*${packages.get(group) ?? group.split('.')[0]}.${name}`;
}
