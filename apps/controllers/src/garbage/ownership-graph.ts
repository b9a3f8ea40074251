import type { OwnerReference } from '@annex/machinery';
import { alternateIdentity } from './alternate-identity.ts';
import { GraphNode, partition, referenceChanges } from './graph-node.ts';
import {
  foregroundFinalizer,
  hasFinalizer,
  type Identity,
  isBeingDeleted,
  orphanFinalizer,
  type OwnershipMeta,
  referenced,
  sameIdentity,
  saysSame,
} from './identity.ts';

/** Callbacks of the graph. */
export interface GraphSinks {
  /** The object may be garbage: the collector must check it on the server. */
  suspect(node: GraphNode): void;
  /** The same, after an exponential backoff. */
  suspectLater(node: GraphNode): void;
  /** The object waits until its dependents are orphaned. */
  orphan(node: GraphNode): void;
  /** The object does not exist. */
  absent(identity: Identity): void;
  /** A dependent names an owner in another namespace, which is ignored. */
  misplaced?(node: GraphNode, owner: Identity): void;
}

/**
 * The graph of owners and dependents, built from watch events. It makes no decisions: it reports the objects that must be checked on the
 * server. Rules and their order are those of kube's garbage collector.
 */
export class OwnershipGraph {
  readonly #nodes = new Map<string, GraphNode>();
  readonly #sinks: GraphSinks;

  constructor(sinks: GraphSinks) {
    this.#sinks = sinks;
  }

  get(uid: string): GraphNode | undefined {
    return this.#nodes.get(uid);
  }

  get size(): number {
    return this.#nodes.size;
  }

  /** Adds or updates an object that a watch reported. */
  observe(identity: Identity, meta: OwnershipMeta, previous?: OwnershipMeta): void {
    const owners = meta.ownerReferences ?? [];
    let node = this.#nodes.get(identity.uid);
    if (node === undefined) {
      node = new GraphNode(identity, owners);
      node.deletingDependents = isBeingDeleted(meta) && hasFinalizer(meta, foregroundFinalizer);
      this.#nodes.set(identity.uid, node);
      this.#addToOwners(node, owners);
    } else {
      if (node.virtual) this.#materialize(node, identity);
      this.#updateOwners(node, owners);
    }
    if (isBeingDeleted(meta)) node.beingDeleted = true;
    this.#transition(node, meta, previous);
  }

  /** Removes an object that a watch reported as deleted. */
  remove(identity: Identity): void {
    const node = this.#nodes.get(identity.uid);
    if (node !== undefined) this.#removeNode(node, identity);
  }

  /** Removes an identity that does not exist on the server; another object may have the same uid. */
  removeAbsent(identity: Identity): void {
    const node = this.#nodes.get(identity.uid);
    if (node === undefined) return;
    const { matching, others } = partition(node.dependents, identity);
    const stays = node.virtual ? others.length > 0 : !sameIdentity(node.identity, identity);
    if (!stays) return this.#removeNode(node, identity);
    if (matching.length > 0) {
      this.#sinks.absent(identity);
      this.#suspectAll(matching);
    }
    if (!node.virtual || !sameIdentity(node.identity, identity)) return;
    // Some references name another identity with this uid, which may exist.
    const alternate = alternateIdentity(others, identity);
    if (alternate === undefined) return;
    node.identity = alternate;
    this.#sinks.suspectLater(node);
  }

  #removeNode(node: GraphNode, identity: Identity): void {
    this.#nodes.delete(node.identity.uid);
    this.#removeFromOwners(node, node.owners);
    if (node.dependents.size > 0) this.#sinks.absent(identity);
    this.#suspectAll(node.dependents);
    // Owners that wait for their dependents may have waited for this object.
    for (const { uid } of node.owners) {
      const owner = this.#nodes.get(uid);
      if (owner?.deletingDependents) this.#suspect(owner);
    }
  }

  /** Updates a node that was known from references only. */
  #materialize(node: GraphNode, observed: Identity): void {
    if (!sameIdentity(node.identity, observed)) {
      const { others } = partition(node.dependents, observed);
      for (const dependent of others) {
        if (observed.namespace !== '' && dependent.identity.namespace !== observed.namespace) {
          this.#sinks.misplaced?.(dependent, observed);
        }
        this.#suspect(dependent);
      }
      node.identity = observed;
    }
    node.virtual = false;
  }

  #updateOwners(node: GraphNode, owners: readonly OwnerReference[]): void {
    const { added, removed, unblocked, changed } = referenceChanges(node.owners, owners);
    if (!changed) return;
    const released = [
      ...removed.filter(({ blockOwnerDeletion }) => blockOwnerDeletion === true),
      ...unblocked,
    ];
    node.owners = owners;
    this.#addToOwners(node, added);
    this.#removeFromOwners(node, removed);
    for (const { uid } of released) {
      const owner = this.#nodes.get(uid);
      if (owner !== undefined) this.#suspect(owner);
    }
  }

  #addToOwners(node: GraphNode, owners: readonly OwnerReference[]): void {
    let doubtful = false;
    for (const reference of owners) {
      let owner = this.#nodes.get(reference.uid);
      const known = owner !== undefined;
      if (owner === undefined) {
        owner = new GraphNode(referenced(reference, node.identity.namespace), [], true);
        this.#nodes.set(reference.uid, owner);
      }
      owner.dependents.add(node);
      if (known) doubtful = this.#isDoubtful(node, reference, owner) || doubtful;
      // Suspected because it may not exist.
      else this.#sinks.suspect(owner);
    }
    if (doubtful) this.#suspect(node);
  }

  /** True if a reference may name its owner incorrectly. */
  #isDoubtful(node: GraphNode, reference: OwnerReference, owner: GraphNode): boolean {
    const { namespace } = owner.identity;
    const elsewhere = namespace !== node.identity.namespace;
    if (namespace !== '' && elsewhere) {
      if (!owner.virtual) this.#sinks.misplaced?.(node, owner.identity);
      return true;
    }
    if (!saysSame(reference, owner.identity)) return true;
    // The owner may not exist, and be of a namespaced kind that a cluster-scoped object must not name.
    return elsewhere && owner.virtual;
  }

  #removeFromOwners(node: GraphNode, owners: readonly OwnerReference[]): void {
    for (const { uid } of owners) this.#nodes.get(uid)?.dependents.delete(node);
  }

  #transition(node: GraphNode, meta: OwnershipMeta, previous: OwnershipMeta | undefined): void {
    if (startsWith(orphanFinalizer, meta, previous)) return this.#sinks.orphan(node);
    if (!startsWith(foregroundFinalizer, meta, previous)) return;
    node.deletingDependents = true;
    this.#suspectAll(node.dependents);
    this.#suspect(node);
  }

  #suspectAll(nodes: Iterable<GraphNode>): void {
    for (const node of nodes) this.#suspect(node);
  }

  #suspect(node: GraphNode): void {
    node.suspected = true;
    this.#sinks.suspect(node);
  }
}

/** True if the deletion of an object waits for a finalizer that was not there before. */
function startsWith(finalizer: string, meta: OwnershipMeta, previous: OwnershipMeta | undefined): boolean {
  const waits = (one: OwnershipMeta) => isBeingDeleted(one) && hasFinalizer(one, finalizer);
  return waits(meta) && (previous === undefined || !waits(previous));
}
