import type { Informer } from '@annex/client';
import { formatTime, isReason, type KubeObject } from '@annex/machinery';
import type { Clock, Counter, Logger } from '@annex/runtime';
import type { AddressPool } from '../address-pool.ts';
import type { Api } from '../api.ts';
import type { EventWriter } from '../event-writer.ts';
import type { Stages } from '../stages/stage.ts';
import type { PatchStages } from '../stages/patch-stages.ts';
import type { Node } from '../nodes/node.ts';
import { WorkPool } from '../work-pool.ts';
import { AdmittedPods } from './admitted-pods.ts';
import { PodLife } from './pod-life.ts';
import { type Condition, hasEnded, type Pod, podKey, type PodStatus } from './pod.ts';

/** What the Pods of fake nodes depend on. */
export interface PodsDeps {
  api: Api;
  clock: Clock;
  log: Logger;
  random(): number;
  stages: Stages;
  patchStages: PatchStages;
  events: EventWriter;
  addresses: AddressPool;
  /** Returns the address of a fake node; `undefined` if there is no such node. */
  hostIP(nodeName: string): string | undefined;
  /** Returns a fake node. */
  node(name: string): Node | undefined;
  writes: Counter<'what'>;
}

interface Followed {
  pod: Pod;
  life: PodLife;
}

/** Moves the Pods of fake nodes through their phases. */
export class Pods {
  readonly #deps: PodsDeps;
  readonly #informer: Informer<Pod>;
  readonly #pool: WorkPool<string>;
  readonly #followed = new Map<string, Followed>();
  /** Pods by the name of their node, also of nodes of others: a node may be adopted later. */
  readonly #byNode = new Map<string, Set<string>>();
  readonly #admitted = new AdmittedPods();
  /** False until all Pods are known: no node has less room than it seems. */
  #isSynced = false;

  constructor(deps: PodsDeps) {
    this.#deps = deps;
    this.#pool = new WorkPool((key) => this.#work(key), deps);
    this.#informer = deps.api.informer<Pod>(
      '/api/v1/pods',
      {
        added: (pod) => this.#observe(pod),
        modified: (pod, previous) => {
          if (pod.metadata.uid !== previous.metadata.uid) this.#forget(previous);
          this.#observe(pod);
        },
        deleted: (pod) => this.#forget(pod),
      },
      { fieldSelector: 'spec.nodeName!=' },
    );
  }

  /** Pods that are followed. */
  get size(): number {
    return this.#followed.size;
  }

  /** Resolves when all Pods are known. */
  async start(): Promise<void> {
    await this.#informer.start();
    this.#isSynced = true;
    for (const key of this.#followed.keys()) this.#pool.add(key);
  }

  async stop(): Promise<void> {
    await Promise.all([this.#informer.stop(), this.#pool.stop()]);
  }

  /** Follows the Pods of a node that became a fake one. */
  adopt(nodeName: string): void {
    const keys = [...(this.#byNode.get(nodeName) ?? [])];
    for (const key of keys) {
      const pod = this.#informer.get(key);
      if (pod !== undefined) this.#follow(pod);
    }
    if (this.#isSynced) for (const key of keys) this.#pool.add(key);
  }

  #observe(pod: Pod): void {
    if (this.#follow(pod) && this.#isSynced) this.#pool.add(podKey(pod));
  }

  /** Keeps the last version of a Pod. Returns false if its node is none of ours. */
  #follow(pod: Pod): boolean {
    const { nodeName } = pod.spec;
    if (nodeName === undefined) return false;
    const key = podKey(pod);
    let keys = this.#byNode.get(nodeName);
    if (keys === undefined) this.#byNode.set(nodeName, (keys = new Set()));
    keys.add(key);
    if (this.#deps.hostIP(nodeName) === undefined) return false;
    const known = this.#followed.get(key);
    if (known === undefined) this.#followed.set(key, { pod, life: new PodLife() });
    else if (isNewer(pod, known.pod)) known.pod = pod;
    const { podIP, startTime } = pod.status ?? {};
    if (hasEnded(pod)) {
      this.#deps.addresses.release(key);
      this.#admitted.release(key);
    } else {
      if (podIP !== undefined) this.#deps.addresses.reserve(podIP, key);
      if (startTime !== undefined) this.#admitted.count(key, pod);
    }
    return true;
  }

  #forget(pod: KubeObject): void {
    const key = podKey(pod);
    const nodeName = (pod as Pod).spec.nodeName ?? '';
    const keys = this.#byNode.get(nodeName);
    keys?.delete(key);
    if (keys?.size === 0) this.#byNode.delete(nodeName);
    this.#followed.delete(key);
    this.#pool.delete(key);
    this.#deps.patchStages.forget(`Pod/${key}`);
    this.#deps.addresses.release(key);
    this.#admitted.release(key);
  }

  async #work(key: string): Promise<number | undefined> {
    const followed = this.#followed.get(key);
    const { nodeName = '', hostNetwork = false } = followed?.pod.spec ?? {};
    const [hostIP, node] = [this.#deps.hostIP(nodeName), this.#deps.node(nodeName)];
    // Without its node, nobody looks after the Pod.
    if (followed === undefined || hostIP === undefined || node === undefined) return undefined;
    const { clock, addresses, random, stages } = this.#deps;
    const { pod, life } = followed;
    const advance = life.advance(pod, {
      now: clock.now(),
      formatTime,
      random,
      stages: stages.transitions,
      hostIP,
      admit: () => this.#admitted.admit(key, pod, node),
      podIP: () => (hostNetwork ? hostIP : addresses.take(key)),
    });
    try {
      if (advance.status !== undefined)
        followed.pod = newer(await this.#writeStatus(pod, advance.status), followed.pod);
      advance.commit();
      for (const event of advance.events) this.#deps.events.write(pod, nodeName, event);
      if (advance.isOver && advance.afterMs === undefined) return await this.#remove(followed.pod);
      return await this.#patch(key, followed, advance.afterMs);
    } catch (error) {
      // The Pod was deleted, or replaced by another one: the watch says so.
      if (isReason(error, 'NotFound') || isReason(error, 'Conflict')) return undefined;
      throw error;
    }
  }

  /** Applies the stages that change Pods themselves. Returns the milliseconds until the next change of either kind. */
  async #patch(key: string, followed: Followed, afterMs: number | undefined): Promise<number | undefined> {
    const id = `Pod/${key}`;
    const patched = await this.#deps.patchStages.advance(id, 'Pod', followed.pod, podPath(followed.pod));
    if (patched === undefined) return afterMs;
    return Math.min(afterMs ?? Infinity, patched);
  }

  async #writeStatus(pod: Pod, status: PodStatus): Promise<Pod> {
    const { uid } = pod.metadata;
    this.#deps.writes.inc({ what: 'pod status' });
    const conditions = (status.conditions ?? []).map(withoutOldTexts);
    const body = { metadata: { uid }, status: { ...status, conditions } };
    return await this.#deps.api.patch<Pod>(`${podPath(pod)}/status`, body);
  }

  /** Deletes a Pod that ended, unless finalizers are all that keeps it. */
  async #remove(pod: Pod): Promise<undefined> {
    const { uid, deletionGracePeriodSeconds } = pod.metadata;
    if (Number(deletionGracePeriodSeconds) === 0) return undefined;
    this.#deps.writes.inc({ what: 'pod deletion' });
    await this.#deps.api.json({
      method: 'DELETE',
      path: podPath(pod),
      body: { kind: 'DeleteOptions', apiVersion: 'v1', gracePeriodSeconds: 0, preconditions: { uid } },
    });
    return undefined;
  }
}

/** The patch merges conditions by their type: what it does not mention stays. */
const withoutOldTexts = (condition: Condition) => ({ reason: null, message: null, ...condition });

const podPath = ({ metadata }: Pod): string =>
  `/api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}`;

const versionOf = ({ metadata }: KubeObject): bigint => BigInt(metadata.resourceVersion ?? '0');

const isNewer = (one: Pod, other: Pod): boolean =>
  one.metadata.uid !== other.metadata.uid || versionOf(one) >= versionOf(other);

const newer = (one: Pod, other: Pod): Pod => (isNewer(one, other) ? one : other);
