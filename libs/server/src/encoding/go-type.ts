import { tableOf } from '@annex/machinery';
import type { ResourceKind } from '@annex/kinds';

/** Where Go keeps its own form of a kind, where that is not a package of the name of the group. */
const packages = tableOf({ '': 'core', 'events.k8s.io': 'core' });

/** How kube-apiserver's errors name its own type of a kind, or of its list: `*core.Pod`, `*unstructured.Unstructured`. */
export function goTypeOf(
  { behavior: { typed }, group }: Pick<ResourceKind, 'behavior' | 'group'>,
  name: string,
  isList = false,
): string {
  if (!typed && name !== 'Scale')
    return isList ? '*unstructured.UnstructuredList' : '*unstructured.Unstructured';
  // Scales of custom resources come in their version, others in the internal form of their group.
  if (name === 'Scale') return typed ? '*autoscaling.Scale' : '*v1.Scale';
  return `*${packages.get(group) ?? group.split('.')[0]}.${name}`;
}
