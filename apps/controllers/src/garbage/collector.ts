import type { KubeObject, OwnerReference } from '@annex/machinery';
import type { Logger } from '@annex/runtime';
import type { Outcome } from '../work-queue.ts';
import type { AbsentOwners } from './absent-owners.ts';
import type { GraphNode } from './graph-node.ts';
import {
  foregroundFinalizer,
  hasFinalizer,
  identityText,
  isBeingDeleted,
  orphanFinalizer,
  referenced,
} from './identity.ts';
import { NamespacedOwnerError, type ObjectRequests, type PropagationPolicy } from './object-requests.ts';
import type { OwnershipGraph } from './ownership-graph.ts';

/** What the collector asks of the server. */
export type CollectorRequests = Pick<
  ObjectRequests,
  'resource' | 'find' | 'remove' | 'changeOwners' | 'removeFinalizer'
>;

/** What the collector is made of. */
export interface CollectorDeps {
  graph: OwnershipGraph;
  requests: CollectorRequests;
  absent: AbsentOwners;
  log: Logger;
  /** Has an object looked at. */
  suspect(node: GraphNode): void;
}

/** The owners that an object names, by what became of them. */
interface Owners {
  solid: OwnerReference[];
  dangling: OwnerReference[];
  /** Deleted in the foreground: they wait for this object. */
  waiting: OwnerReference[];
}

/** Decides, by what the server says now, what becomes of an object that the graph suspects. */
export class Collector {
  readonly #deps: CollectorDeps;

  constructor(deps: CollectorDeps) {
    this.#deps = deps;
  }

  /** Deletes the object where all its owners are gone, or lets it go where its dependents are. */
  async collect(node: GraphNode): Promise<Outcome> {
    const suspected = node.suspected;
    node.suspected = false;
    const { graph } = this.#deps;
    if (graph.get(node.identity.uid) !== node) return;
    // It was looked for because nobody had seen it, and has been seen since.
    if (!node.virtual && !suspected) return;
    try {
      await this.#collect(node);
    } catch (error) {
      node.suspected ||= suspected;
      // A mistake in the references that no further try can mend.
      if (error instanceof NamespacedOwnerError) return;
      throw error;
    }
    // It exists, but nobody has told of it yet: it may be gone again before somebody does.
    if (node.virtual && graph.get(node.identity.uid) === node) return 'again';
  }

  async #collect(node: GraphNode): Promise<void> {
    // Deletion is a one-way trip: what depends on the object is looked at when it is gone.
    if (node.beingDeleted && !node.deletingDependents) return;
    const { graph, requests } = this.#deps;
    const { identity } = node;
    const latest = await requests.find(identity);
    if (latest === undefined || latest.metadata.uid !== identity.uid) return graph.removeAbsent(identity);
    if (node.deletingDependents) return await this.#awaitDependents(node);
    const references = latest.metadata.ownerReferences ?? [];
    if (references.length === 0) return;
    const owners = await this.#classify(node, references);
    if (owners.solid.length > 0) return await this.#release(node, [...owners.dangling, ...owners.waiting]);
    if (owners.waiting.length > 0 && node.dependents.size > 0)
      return await this.#removeForeground(node, latest);
    await this.#remove(node, latest, policyOf(latest));
  }

  /** An object that is deleted in the foreground goes when none of its dependents blocks it any more. */
  async #awaitDependents(node: GraphNode): Promise<void> {
    const blocking = node.blocking();
    if (blocking.length === 0) {
      return await this.#deps.requests.removeFinalizer(node.identity, foregroundFinalizer);
    }
    for (const dependent of blocking) if (!dependent.deletingDependents) this.#deps.suspect(dependent);
  }

  async #classify(node: GraphNode, references: readonly OwnerReference[]): Promise<Owners> {
    const owners: Owners = { solid: [], dangling: [], waiting: [] };
    for (const reference of references) {
      const owner = await this.#owner(node, reference);
      if (owner === undefined) owners.dangling.push(reference);
      else if (isBeingDeleted(owner.metadata) && hasFinalizer(owner.metadata, foregroundFinalizer)) {
        owners.waiting.push(reference);
      } else owners.solid.push(reference);
    }
    return owners;
  }

  async #owner({ identity }: GraphNode, reference: OwnerReference): Promise<KubeObject | undefined> {
    const { absent, requests, log } = this.#deps;
    const inNamespace = referenced(reference, identity.namespace);
    const withoutNamespace = referenced(reference, '');
    if (absent.has(withoutNamespace) || absent.has(inNamespace)) return undefined;
    const { namespaced } = requests.resource(reference);
    if (namespaced && identity.namespace === '') {
      log.info('a cluster-scoped object names an owner in a namespace, which never counts', {
        object: identityText(identity),
        owner: identityText(withoutNamespace),
      });
    }
    const requested = namespaced ? inNamespace : withoutNamespace;
    const owner = await requests.find(requested);
    if (owner !== undefined && owner.metadata.uid === reference.uid) return owner;
    absent.add(requested);
    return undefined;
  }

  /** Removes references to owners that are gone, or that wait only for this object. */
  async #release({ identity }: GraphNode, references: readonly OwnerReference[]): Promise<void> {
    if (references.length === 0) return;
    const gone = new Set(references.map(({ uid }) => uid));
    await this.#deps.requests.changeOwners(identity, (owners) => owners.filter(({ uid }) => !gone.has(uid)));
  }

  async #removeForeground(node: GraphNode, latest: KubeObject): Promise<void> {
    // A dependent that waits for its own dependents may wait for this object's owner: a circle, which nothing would end.
    if ([...node.dependents].some(({ deletingDependents }) => deletingDependents)) {
      const { requests } = this.#deps;
      await requests.changeOwners(node.identity, (owners) =>
        owners.map((owner) => ({ ...owner, blockOwnerDeletion: false })),
      );
      const unblocked = await requests.find(node.identity);
      return await this.#remove(node, unblocked ?? latest, 'Foreground');
    }
    await this.#remove(node, latest, 'Foreground');
  }

  async #remove({ identity }: GraphNode, latest: KubeObject, policy: PropagationPolicy): Promise<void> {
    const { graph, log, requests } = this.#deps;
    log.info('deleting an object whose owners are gone', { object: identityText(identity), policy });
    if (!(await requests.remove(identity, latest, policy))) graph.removeAbsent(identity);
  }

  /** Frees all dependents of the object from it, then lets it go. */
  async orphan(node: GraphNode): Promise<void> {
    const { requests } = this.#deps;
    const { uid } = node.identity;
    const freed = [...node.dependents].map(({ identity }) =>
      requests.changeOwners(identity, (owners) => owners.filter((owner) => owner.uid !== uid)),
    );
    const failed = (await Promise.allSettled(freed)).filter((result) => result.status === 'rejected');
    if (failed[0] !== undefined) throw failed[0].reason as Error;
    await requests.removeFinalizer(node.identity, orphanFinalizer);
  }
}

/** What the object itself asks for, by the finalizers that it has. */
function policyOf({ metadata }: KubeObject): PropagationPolicy {
  if (hasFinalizer(metadata, orphanFinalizer)) return 'Orphan';
  return hasFinalizer(metadata, foregroundFinalizer) ? 'Foreground' : 'Background';
}
