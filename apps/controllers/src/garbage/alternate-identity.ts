import type { GraphNode } from './graph-node.ts';
import { type Identity, identityKey, referenced, sameIdentity } from './identity.ts';

/**
 * What else an owner may be that does not exist as what it was taken for: the next identity, in a fixed order and after
 * the last one beginning anew, that its dependents give it. So all are tried in turn.
 */
export function alternateIdentity(dependents: Iterable<GraphNode>, absent: Identity): Identity | undefined {
  const found = new Map<string, Identity>();
  for (const { owners, identity } of dependents) {
    for (const owner of owners) {
      if (owner.uid !== absent.uid) continue;
      // The kind of the absent one is known to have no namespaces where it has none.
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
