import { conflict, type KubeObject, type OwnerReference } from '@annex/machinery';
import type { CollectorRequests } from './collector.ts';
import { foregroundFinalizer, type Identity, orphanFinalizer, type OwnershipMeta } from './identity.ts';
import type { PropagationPolicy } from './object-requests.ts';

/** An object in the simulated API server. */
export interface WorldObject {
  identity: Identity;
  meta: OwnershipMeta;
}

/** A watch event. Events are ordered within a kind only. */
export type WorldEvent = WorldObject & { gone: boolean };

const policyFinalizers: Readonly<Record<PropagationPolicy, string[]>> = {
  Background: [],
  Foreground: [foregroundFinalizer],
  Orphan: [orphanFinalizer],
};

/** A simulated API server, with the behavior that ownership needs. */
export class World {
  readonly objects = new Map<string, WorldObject>();
  readonly events = new Map<string, WorldEvent[]>();
  readonly #foreground = new Set<string>();
  #version = 0;

  create(kind: string, uid: string, ownerReferences: OwnerReference[], finalizers: string[]): void {
    const identity: Identity = { apiVersion: 'v1', kind, namespace: 'ns', name: uid, uid };
    this.#store({ identity, meta: { name: uid, uid, ownerReferences, finalizers } });
  }

  delete(uid: string, policy: PropagationPolicy): void {
    const object = this.objects.get(uid);
    if (object === undefined) return;
    if (policy === 'Foreground') this.#foreground.add(uid);
    const kept = (object.meta.finalizers ?? []).filter(
      (name) => name !== foregroundFinalizer && name !== orphanFinalizer,
    );
    const finalizers = [...kept, ...policyFinalizers[policy]];
    this.#store({ ...object, meta: { ...object.meta, finalizers, deletionTimestamp: 'now' } });
  }

  change(uid: string, change: (meta: OwnershipMeta) => Partial<OwnershipMeta>): void {
    const object = this.objects.get(uid);
    if (object !== undefined) this.#store({ ...object, meta: { ...object.meta, ...change(object.meta) } });
  }

  /** True if the owner exists and is not deleted in the foreground, so that the object must be kept. */
  isSolid({ uid, kind }: OwnerReference): boolean {
    const owner = this.objects.get(uid);
    if (owner?.identity.kind !== kind) return false;
    return owner.meta.deletionTimestamp === undefined || !this.#foreground.has(uid);
  }

  #store(object: WorldObject): void {
    const { uid, kind } = object.identity;
    const meta = { ...object.meta, resourceVersion: String(++this.#version) };
    const gone = meta.deletionTimestamp !== undefined && (meta.finalizers ?? []).length === 0;
    const stored = { ...object, meta };
    if (gone) this.objects.delete(uid);
    else this.objects.set(uid, stored);
    const notified = this.events.get(kind) ?? [];
    this.events.set(kind, notified);
    notified.push({ ...stored, gone });
  }
}

/** The collector's requests to a world. `meanwhile` runs before each response, `removing` before each removal. */
export function worldRequests(
  world: World,
  concurrent: () => void,
  removing: (object: WorldObject) => void,
): CollectorRequests {
  const find = ({ uid, kind }: Identity): Promise<KubeObject | undefined> => {
    concurrent();
    const found = world.objects.get(uid);
    return Promise.resolve(
      found?.identity.kind === kind ? ({ metadata: found.meta } as KubeObject) : undefined,
    );
  };
  return {
    resource: ({ apiVersion: version, kind }) => ({
      group: '',
      version,
      resource: kind,
      kind,
      namespaced: true,
      verbs: new Set(),
    }),
    find,
    async remove({ uid }, read, policy) {
      concurrent();
      const latest = world.objects.get(uid);
      if (latest === undefined) return false;
      if (JSON.stringify(latest.meta.ownerReferences) !== JSON.stringify(read.metadata.ownerReferences)) {
        throw conflict({ group: '', resource: 'things' }, uid, 'its owners have changed');
      }
      removing(latest);
      world.delete(uid, policy);
      return await Promise.resolve(true);
    },
    async changeOwners({ uid }, change) {
      await Promise.resolve(concurrent());
      world.change(uid, ({ ownerReferences = [] }) => ({ ownerReferences: change(ownerReferences) }));
    },
    async removeFinalizer({ uid }, name) {
      await Promise.resolve(concurrent());
      world.change(uid, ({ finalizers = [] }) => ({ finalizers: finalizers.filter((one) => one !== name) }));
    },
  };
}
