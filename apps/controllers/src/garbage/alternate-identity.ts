import type { GraphNode } from './graph-node.ts';
import { type Identity, identityKey, referenced, sameIdentity } from './identity.ts';

/**
 * Returns another identity of an owner that does not exist under the current one: the next in a fixed order of the identities in its
 * dependents' references, cyclically. Repeated calls try all of them.
 */
export function alternateIdentity(dependents: Iterable<GraphNode>, absent: Identity): Identity | undefined {
  const found = new Map<string, Identity>();
  for (const dependent of dependents) {
    const { identity } = dependent;
    for (const owner of dependent.referencesTo(absent.uid)) {
      // An absent owner without a namespace is of a cluster-scoped kind.
      const clusterScoped =
        absent.namespace === '' && owner.apiVersion === absent.apiVersion && owner.kind === absent.kind;
      const alternate = referenced(owner, clusterScoped ? '' : identity.namespace);
      if (!sameIdentity(alternate, absent)) found.set(identityKey(alternate), alternate);
    }
  }
  const order = [...found.keys()].sort();
  const next = order.find((key) => key > identityKey(absent)) ?? order[0];
  return next === undefined ? undefined : found.get(next);
}
