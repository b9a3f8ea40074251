import { type Client, Informer, logWatchFailures, withoutManagedFields } from '@annex/client';
import type { KubeObject } from '@annex/machinery';
import type { Logger } from '@annex/runtime';
import type { Cluster } from '../cache/cluster.ts';
import type { ObjectStore } from '../cache/object-store.ts';
import { clusterEvent, podEvents } from '../framework/cluster-event.ts';
import type { Node } from '../objects/node.ts';
import { NodeInfo } from '../objects/node-info.ts';
import type { Pod } from '../objects/pod.ts';
import { PodInfo } from '../objects/pod-info.ts';
import { nodeChanges } from '../queue/node-changes.ts';
import { podChanges } from '../queue/pod-changes.ts';
import type { SchedulingQueue } from '../queue/scheduling-queue.ts';
import type { Change, Changes } from './changes.ts';
import { activePods, type Collection, collections } from './collections.ts';

/** What the watches change. */
export interface WatchedDeps {
  client: Client;
  cluster: Cluster;
  queue: SchedulingQueue;
  changes: Changes;
  log: Logger;
  /** Returns whether a profile is responsible for Pods of a scheduler name. */
  isResponsible(schedulerName: string): boolean;
  /** Called for a Pod that was deleted while it was being bound. */
  deletedWhileBound(uid: string): void;
}

/** What a change returns: a promise if many Pods are moved. */
type Applied = ReturnType<Change>;

interface ChangeHandlers<T> {
  added(object: T): Applied;
  modified(object: T, previous: T): Applied;
  deleted(object: T): Applied;
}

/** Follows the cluster: keeps the cache, and moves waiting Pods when a change may help them. */
export class WatchedCluster {
  readonly #deps: WatchedDeps;
  readonly #informers: Informer[] = [];

  constructor(deps: WatchedDeps) {
    this.#deps = deps;
  }

  /** Resolves when everything is loaded. Pods come last, so that their plugins find what they refer to. */
  async start(): Promise<void> {
    await Promise.all([
      ...collections.map((collection) => this.#follow(collection.path, this.#storing(collection))),
      this.#follow<Node>('/api/v1/nodes', this.#nodes()),
    ]);
    await this.#follow<Pod>('/api/v1/pods', this.#pods(), activePods);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#informers.map((informer) => informer.stop()));
  }

  #follow<T extends KubeObject>(
    path: string,
    handlers: ChangeHandlers<T>,
    fieldSelector?: string,
  ): Promise<void> {
    const { changes, client, log } = this.#deps;
    const informer = new Informer<T>(
      client,
      path,
      {
        added: (object) => changes.apply(() => handlers.added(object)),
        modified: (object, previous) => changes.apply(() => handlers.modified(object, previous)),
        deleted: (object) => changes.apply(() => handlers.deleted(object)),
        failed: logWatchFailures(log, path),
      },
      { keep: withoutManagedFields, ...(fieldSelector === undefined ? {} : { fieldSelector }) },
    );
    this.#informers.push(informer as unknown as Informer);
    return informer.start();
  }

  #storing({ store: name, resource }: Collection): ChangeHandlers<KubeObject> {
    const { cluster, queue } = this.#deps;
    const store = cluster.objects[name] as ObjectStore;
    const move = (action: 'Add' | 'Update' | 'Delete', before?: KubeObject, after?: KubeObject): Applied =>
      resource && queue.moveAll([{ event: clusterEvent(resource, action), before, after }]);
    return {
      added(object) {
        store.set(object);
        return move('Add', undefined, object);
      },
      modified(object, previous) {
        store.set(object);
        return move('Update', previous, object);
      },
      deleted(object) {
        store.delete(object);
        return move('Delete', object);
      },
    };
  }

  #nodes(): ChangeHandlers<Node> {
    const { cluster, queue } = this.#deps;
    return {
      added(node) {
        cluster.setNode(node);
        return queue.moveAll([{ event: clusterEvent('Node', 'Add'), after: infoOf(node) }]);
      },
      modified(node, previous) {
        cluster.setNode(node);
        const events = nodeChanges(previous, node);
        if (events.length === 0) return undefined;
        const [before, after] = [infoOf(previous), infoOf(node)];
        return queue.moveAll(events.map((event) => ({ event, before, after })));
      },
      deleted(node) {
        cluster.deleteNode(node.metadata.name ?? '');
        return queue.moveAll([{ event: clusterEvent('Node', 'Delete'), before: infoOf(node) }]);
      },
    };
  }

  #pods(): ChangeHandlers<Pod> {
    return {
      added: (pod) => this.#podAdded(new PodInfo(pod)),
      modified: (pod) => this.#podModified(new PodInfo(pod)),
      deleted: (pod) => this.#podDeleted(new PodInfo(pod)),
    };
  }

  #podAdded(info: PodInfo): Applied {
    const { cluster, queue } = this.#deps;
    cluster.pods.set(info.key, info);
    if (nodeOf(info) !== '') {
      cluster.setPod(info, nodeOf(info));
      return queue.moveAll([{ event: podEvents.assignedAdd, after: info }]);
    }
    if (this.#isResponsible(info)) queue.add(info);
    return undefined;
  }

  #podModified(info: PodInfo): Applied {
    const { cluster, queue } = this.#deps;
    const before = cluster.pods.get(info.key);
    if (before === undefined) return this.#podAdded(info);
    if (before.uid !== info.uid) return this.#podReplaced(before, info);
    cluster.pods.set(info.key, info);
    if (nodeOf(before) !== '') {
      cluster.setPod(info, nodeOf(info));
      return queue.moveAll(podChanges(before, info).map((event) => ({ event, before, after: info })));
    }
    if (nodeOf(info) !== '') {
      cluster.setPod(info, nodeOf(info));
      queue.delete(before);
      return queue.moveAll([{ event: podEvents.assignedAdd, after: info }]);
    }
    return this.#isResponsible(info) ? this.#waitingModified(before, info) : undefined;
  }

  async #podReplaced(before: PodInfo, info: PodInfo): Promise<void> {
    await this.#podDeleted(before);
    await this.#podAdded(info);
  }

  #waitingModified(before: PodInfo, info: PodInfo): Applied {
    const { cluster, queue } = this.#deps;
    if (cluster.assumedNode(info.uid) !== undefined) {
      if (info.isTerminating && !before.isTerminating) this.#deps.deletedWhileBound(info.uid);
      return undefined;
    }
    queue.update(before, info);
    const nominated = before.pod.status?.nominatedNodeName ?? '';
    const isLost = nominated !== '' && nominated !== (info.pod.status?.nominatedNodeName ?? '');
    return isLost ? this.#nominationLost(before) : undefined;
  }

  #podDeleted(info: PodInfo): Applied {
    const { cluster, queue } = this.#deps;
    cluster.pods.delete(info.key);
    if (nodeOf(info) !== '') {
      cluster.removePod(info);
      return queue.moveAll([{ event: podEvents.assignedDelete, before: info }]);
    }
    if (!this.#isResponsible(info)) return undefined;
    queue.delete(info);
    if (cluster.assumedNode(info.uid) !== undefined) this.#deps.deletedWhileBound(info.uid);
    else if ((info.pod.status?.nominatedNodeName ?? '') !== '') return this.#nominationLost(info);
    return undefined;
  }

  /** A lost nomination frees a place, as if the Pod had been deleted there. */
  #nominationLost(before: PodInfo): Applied {
    const lower = ({ priority }: PodInfo): boolean => priority <= before.priority;
    return this.#deps.queue.moveAll([{ event: podEvents.assignedDelete, before }], lower);
  }

  #isResponsible({ pod }: PodInfo): boolean {
    return this.#deps.isResponsible(pod.spec.schedulerName ?? '');
  }
}

const nodeOf = ({ pod }: PodInfo): string => pod.spec.nodeName ?? '';

function infoOf(node: Node): NodeInfo {
  const info = new NodeInfo(node.metadata.name ?? '');
  info.setNode(node);
  return info;
}

/** Managed fields are the larger part of many objects, and no plugin reads them. */
