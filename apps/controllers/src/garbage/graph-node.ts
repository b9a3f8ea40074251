import type { OwnerReference } from '@annex/machinery';
import type { Identity } from './identity.ts';

/** An object with what it depends on and what depends on it. */
export class GraphNode {
  identity: Identity;
  owners: readonly OwnerReference[];
  readonly dependents = new Set<GraphNode>();
  /** Known from references only: nobody has seen it yet, so that it may not exist, or not be what they say. */
  virtual: boolean;
  beingDeleted = false;
  /** Deleted in the foreground: it goes when its dependents are gone. */
  deletingDependents = false;
  /** Waits for deletion for other reasons than being virtual. */
  suspected = false;

  constructor(identity: Identity, owners: readonly OwnerReference[], virtual = false) {
    this.identity = identity;
    this.owners = owners;
    this.virtual = virtual;
  }

  /** The dependents that must be gone before this object may go. */
  blocking(): GraphNode[] {
    const { uid } = this.identity;
    return [...this.dependents].filter(({ owners }) =>
      owners.some((owner) => owner.uid === uid && owner.blockOwnerDeletion === true),
    );
  }
}

/** Dependents whose references say what the owner is, and those that say otherwise; several references may do both. */
export function partition(
  dependents: Iterable<GraphNode>,
  owner: Identity,
): { matching: GraphNode[]; others: GraphNode[] } {
  const matching: GraphNode[] = [];
  const others: GraphNode[] = [];
  for (const node of dependents) {
    const elsewhere = owner.namespace !== '' && owner.namespace !== node.identity.namespace;
    const references = node.owners.filter(({ uid }) => uid === owner.uid);
    const refersTo = (same: boolean) =>
      references.some(
        ({ name, kind, apiVersion }) =>
          (name === owner.name && kind === owner.kind && apiVersion === owner.apiVersion) === same,
      );
    if (!elsewhere && refersTo(true)) matching.push(node);
    if (elsewhere || refersTo(false)) others.push(node);
  }
  return { matching, others };
}

/** How the references of an object changed. */
export function referenceChanges(
  before: readonly OwnerReference[],
  after: readonly OwnerReference[],
): { added: OwnerReference[]; removed: OwnerReference[]; unblocked: OwnerReference[]; changed: boolean } {
  const old = new Map(before.map((reference) => [reference.uid, reference]));
  const added: OwnerReference[] = [];
  const unblocked: OwnerReference[] = [];
  let changed = false;
  for (const reference of after) {
    const previous = old.get(reference.uid);
    old.delete(reference.uid);
    if (previous === undefined) added.push(reference);
    else if (!sameReference(previous, reference)) {
      changed = true;
      if (previous.blockOwnerDeletion === true && reference.blockOwnerDeletion !== true)
        unblocked.push(reference);
    }
  }
  const removed = [...old.values()];
  return { added, removed, unblocked, changed: changed || added.length > 0 || removed.length > 0 };
}

export const sameReference = (a: OwnerReference, b: OwnerReference): boolean =>
  a.uid === b.uid &&
  a.name === b.name &&
  a.kind === b.kind &&
  a.apiVersion === b.apiVersion &&
  a.controller === b.controller &&
  a.blockOwnerDeletion === b.blockOwnerDeletion;
