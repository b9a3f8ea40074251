import type { KubeObject, OwnerReference } from '@annex/machinery';
import { type Logger, ownTurn } from '@annex/runtime';
import { pause } from '@annex/server';
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

/** The requests that the collector sends. */
export type CollectorRequests = Pick<
  ObjectRequests,
  'resource' | 'find' | 'remove' | 'changeOwners' | 'removeFinalizer'
>;

/** Dependencies of the collector. */
export interface CollectorDeps {
  graph: OwnershipGraph;
  requests: CollectorRequests;
  absent: AbsentOwners;
  log: Logger;
  /** Queues an object for the next check. */
  suspect(node: GraphNode): void;
}

/** The owners in the references of an object, by state. */
interface Owners {
  solid: OwnerReference[];
  dangling: OwnerReference[];
  /** Being deleted in the foreground: they wait for this object. */
  waiting: OwnerReference[];
}

/** Decides, by the current state of the server, whether to delete an object that the graph suspects. */
export class Collector {
  readonly #deps: CollectorDeps;

  constructor(deps: CollectorDeps) {
    this.#deps = deps;
  }

  /** Deletes the object if all its owners are gone, or removes its finalizer if its dependents are gone. */
  async collect(node: GraphNode): Promise<Outcome> {
    const suspected = node.suspected;
    node.suspected = false;
    const { graph } = this.#deps;
    if (graph.get(node.identity.uid) !== node) return;
    // The object was suspected because no watch had reported it, and has been reported since.
    if (!node.virtual && !suspected) return;
    // The responses to all workers can arrive in one turn.
    await ownTurn();
    try {
      await this.#collect(node);
    } catch (error) {
      node.suspected ||= suspected;
      // The references are invalid, so retries cannot succeed.
      if (error instanceof NamespacedOwnerError) return;
      throw error;
    }
    // The owner exists, but no watch has reported it yet. It may be deleted before the watch reports it.
    if (node.virtual && graph.get(node.identity.uid) === node) return 'again';
  }

  async #collect(node: GraphNode): Promise<void> {
    // A deletion cannot be undone: the dependents are checked when the object is gone.
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

  /** Removes the finalizer of an object that is deleted in the foreground when no dependent blocks it. */
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
      // Owners that are known to be absent are not requested: there can be thousands.
      const paused = pause();
      if (paused) await paused;
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
      log.info('a cluster-scoped object has a namespaced owner reference, which is ignored', {
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
    // A dependent that waits for its own dependents may wait for this object's owner: such a cycle would never end.
    if ([...node.dependents].some(({ deletingDependents }) => deletingDependents)) {
      const { requests } = this.#deps;
      await requests.changeOwners(node.identity, (owners) =>
        owners.map((owner) => ({ ...owner, blockOwnerDeletion: false })),
      );
      const unblocked = (await requests.find(node.identity)) ?? latest;
      // The owners were judged before: if others have changed them since, the object is judged again.
      if (!isEqualSet(ownersOf(latest), ownersOf(unblocked))) return this.#deps.suspect(node);
      return await this.#remove(node, unblocked, 'Foreground');
    }
    await this.#remove(node, latest, 'Foreground');
  }

  async #remove({ identity }: GraphNode, latest: KubeObject, policy: PropagationPolicy): Promise<void> {
    const { graph, log, requests } = this.#deps;
    log.info('deleting an object without existing owners', { object: identityText(identity), policy });
    if (!(await requests.remove(identity, latest, policy))) graph.removeAbsent(identity);
  }

  /** Removes the owner references of all dependents to the object, then its finalizer. */
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

const ownersOf = ({ metadata }: KubeObject): Set<string> =>
  new Set((metadata.ownerReferences ?? []).map(({ uid }) => uid));

const isEqualSet = (a: ReadonlySet<string>, b: ReadonlySet<string>): boolean =>
  a.size === b.size && a.isSubsetOf(b);

/** Returns the propagation policy that the finalizers of the object imply. */
function policyOf({ metadata }: KubeObject): PropagationPolicy {
  if (hasFinalizer(metadata, orphanFinalizer)) return 'Orphan';
  return hasFinalizer(metadata, foregroundFinalizer) ? 'Foreground' : 'Background';
}
