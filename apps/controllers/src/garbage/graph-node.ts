import type { OwnerReference } from '@annex/machinery';
import type { Identity } from './identity.ts';

/** An object with its owners and dependents. */
export class GraphNode {
  identity: Identity;
  #owners: readonly OwnerReference[];
  #byUid: ReadonlyMap<string, OwnerReference[]> | undefined;
  readonly dependents = new Set<GraphNode>();
  /** True if the object is known from references only: it may not exist, or have another identity. */
  virtual: boolean;
  beingDeleted = false;
  /** Being deleted in the foreground: it is removed when its dependents are gone. */
  deletingDependents = false;
  /** Queued for a check for another reason than being virtual. */
  suspected = false;

  constructor(identity: Identity, owners: readonly OwnerReference[], virtual = false) {
    this.identity = identity;
    this.#owners = owners;
    this.virtual = virtual;
  }

  get owners(): readonly OwnerReference[] {
    return this.#owners;
  }

  set owners(owners: readonly OwnerReference[]) {
    this.#owners = owners;
    this.#byUid = undefined;
  }

  /** Returns the references to an owner. An object can have thousands of owners, each of which is looked up. */
  referencesTo(uid: string): readonly OwnerReference[] {
    this.#byUid ??= Map.groupBy(this.#owners, (owner) => owner.uid);
    return this.#byUid.get(uid) ?? [];
  }

  /** Returns the dependents that block the deletion of this object. */
  blocking(): GraphNode[] {
    const { uid } = this.identity;
    return [...this.dependents].filter((dependent) =>
      dependent.referencesTo(uid).some(({ blockOwnerDeletion }) => blockOwnerDeletion === true),
    );
  }
}

/**
 * Separates the dependents whose references match the owner's identity from the others. A dependent with several references may be in both
 * lists.
 */
export function partition(
  dependents: Iterable<GraphNode>,
  owner: Identity,
): { matching: GraphNode[]; others: GraphNode[] } {
  const matching: GraphNode[] = [];
  const others: GraphNode[] = [];
  for (const node of dependents) {
    const elsewhere = owner.namespace !== '' && owner.namespace !== node.identity.namespace;
    const references = node.referencesTo(owner.uid);
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

/** Returns the added, removed and changed owner references of an object. */
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
