import type { Client } from '@annex/client';
import { type Cluster, pathOf } from '../scheduler/cluster.ts';
import type { ScenarioObject } from '../scheduler/scenario.ts';

/** What the reference did with a Pod. */
export interface ReferenceDecision {
  /** The chosen node; empty for a refusal. */
  node: string;
  /** True if the Pod waits for its volumes on that node. */
  waits: boolean;
  message: string;
  nominatedNode: string;
}

interface PodObject extends ScenarioObject {
  spec: { nodeName?: string };
  status: {
    nominatedNodeName?: string;
    conditions?: { type: string; status: string; message?: string }[];
  };
}

const withinMs = 30_000;
const boundWithinMs = 3_000;

/** Follows the Pods of a server. */
export class ReferenceDecisions {
  readonly #stop = new AbortController();
  readonly #pods = new Map<string, PodObject>();
  #changed = Promise.withResolvers<void>();

  static async start(client: Client): Promise<ReferenceDecisions> {
    const decisions = new ReferenceDecisions();
    const path = '/api/v1/pods';
    const { metadata } = await client.json<{ metadata: { resourceVersion: string } }>({ path });
    const { resourceVersion } = metadata;
    const events = client.watch<PodObject>(path, { resourceVersion, signal: decisions.#stop.signal });
    const run = async () => {
      for await (const { type, object } of events) {
        const { uid = '' } = object.metadata;
        if (type === 'DELETED') decisions.#pods.delete(uid);
        else decisions.#pods.set(uid, object);
        decisions.#changed.resolve();
        decisions.#changed = Promise.withResolvers<void>();
      }
    };
    // A watch that fails shows as a decision that never comes.
    run().catch(() => undefined);
    return decisions;
  }

  stop(): void {
    this.#stop.abort();
  }

  /** Resolves to the first decision about a Pod. */
  decisionAbout(uid: string): Promise<ReferenceDecision> {
    return this.#until(() => {
      const pod = this.#pods.get(uid);
      return pod === undefined ? undefined : decisionOf(pod);
    }, 'no decision');
  }

  /** Resolves to true when the Pod is bound; to false if it waits for long. */
  isBound(uid: string): Promise<boolean> {
    const find = () => (this.#pods.get(uid)?.spec.nodeName === undefined ? undefined : true);
    return this.#until(find, 'not bound', boundWithinMs).catch(() => false);
  }

  /** Resolves to the names of the Pods that are preempted, when there are that many or after a second. */
  async victims(count: number): Promise<string[]> {
    const found = () =>
      [...this.#pods.values()].filter(
        ({ metadata, status }) =>
          metadata.deletionTimestamp !== undefined &&
          status.conditions?.some(({ type }) => type === 'DisruptionTarget'),
      );
    await this.#until(() => (found().length >= count ? true : undefined), 'no victims', 3_000).catch(
      () => undefined,
    );
    return found()
      .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)
      .toSorted();
  }

  async #until<T>(read: () => T | undefined, what: string, limit = withinMs): Promise<T> {
    const end = Date.now() + limit;
    for (;;) {
      const { promise } = this.#changed;
      const value = read();
      if (value !== undefined) return value;
      if (Date.now() > end) throw new Error(what);
      await Promise.race([promise, new Promise((resolve) => setTimeout(resolve, 500))]);
    }
  }
}

function decisionOf({ spec, status }: PodObject): ReferenceDecision | undefined {
  const { nominatedNodeName = '', conditions = [] } = status;
  const decision = { node: '', waits: false, message: '', nominatedNode: '' };
  if (spec.nodeName !== undefined) return { ...decision, node: spec.nodeName };
  const refusal = conditions.find((one) => one.type === 'PodScheduled' && one.status === 'False');
  if (refusal !== undefined)
    return { ...decision, message: refusal.message ?? '', nominatedNode: nominatedNodeName };
  return nominatedNodeName === '' ? undefined : { ...decision, node: nominatedNodeName, waits: true };
}

/** The collections that decisions depend on. */
const kinds = [
  'Node',
  'Pod',
  'Namespace',
  'Service',
  'ReplicationController',
  'ReplicaSet',
  'StatefulSet',
  'PodDisruptionBudget',
  'PersistentVolume',
  'PersistentVolumeClaim',
  'StorageClass',
  'CSINode',
  'CSIDriver',
  'CSIStorageCapacity',
  'ResourceClaim',
  'ResourceSlice',
  'DeviceClass',
];

/** Reads all objects, by path of their collection. */
export async function readObjects(cluster: Cluster): Promise<Map<string, ScenarioObject[]>> {
  const lists = await Promise.all(
    kinds.map(async (kind) => [pathOf({ kind }), await cluster.list(kind)] as const),
  );
  return new Map(lists);
}
