import { deepEqual, isReason, type KubeObject, type OwnerReference } from '@annex/machinery';
import { type Api, deleteOptions, metadataOnly } from '../api.ts';
import { type ApiResource, type KindMapping, resourcePath } from '../discovery/resource-discovery.ts';
import type { Identity } from './identity.ts';

/** The kind of an owner is not served. Owner references may name any kind. */
export class UnknownKindError extends Error {
  override readonly name = 'UnknownKindError';
}

/** A cluster-scoped object has an owner reference to a namespaced kind: such an owner cannot exist. */
export class NamespacedOwnerError extends Error {
  override readonly name = 'NamespacedOwnerError';
}

export type PropagationPolicy = 'Background' | 'Foreground' | 'Orphan';

/** Maximum number of attempts if a change conflicts. */
const attempts = 5;

/** The requests of the garbage collector. */
export class ObjectRequests {
  readonly #api: Api;
  readonly #mapping: () => KindMapping;

  constructor(api: Api, mapping: () => KindMapping) {
    this.#api = api;
    this.#mapping = mapping;
  }

  /** Returns the resource of a kind. Throws UnknownKindError. */
  resource({ apiVersion, kind }: Pick<Identity, 'apiVersion' | 'kind'>): ApiResource {
    const found = this.#mapping().find(apiVersion, kind);
    if (found === undefined) throw new UnknownKindError(`no resource is known for ${apiVersion} ${kind}`);
    return found;
  }

  /** Resolves to the metadata of the object of that name; its uid may differ. Throws UnknownKindError and NamespacedOwnerError. */
  async find(identity: Identity): Promise<KubeObject | undefined> {
    return await this.#api.find<KubeObject>(this.#path(identity), metadataOnly.object);
  }

  /** Deletes the object if its owner references did not change since it was read. Resolves to false if it is gone or was replaced. */
  async remove(identity: Identity, read: KubeObject, propagationPolicy: PropagationPolicy): Promise<boolean> {
    const { resourceVersion, ownerReferences } = read.metadata;
    try {
      return await this.#delete(identity, propagationPolicy, resourceVersion);
    } catch (error) {
      if (!isReason(error, 'Conflict')) throw error;
      const latest = await this.find(identity);
      if (latest === undefined) return false;
      const { metadata } = latest;
      // Changes unrelated to ownership must not prevent garbage collection.
      const sameOwners = sameReferences(metadata.ownerReferences, ownerReferences);
      if (metadata.uid !== identity.uid || metadata.resourceVersion === resourceVersion || !sameOwners)
        throw error;
      return await this.#delete(identity, propagationPolicy);
    }
  }

  async #delete(
    identity: Identity,
    propagationPolicy: PropagationPolicy,
    resourceVersion?: string,
  ): Promise<boolean> {
    const preconditions = { uid: identity.uid, ...(resourceVersion ? { resourceVersion } : {}) };
    const body = deleteOptions({ preconditions, propagationPolicy });
    try {
      await this.#api.json({
        method: 'DELETE',
        path: this.#path(identity),
        headers: metadataOnly.object,
        body,
      });
      return true;
    } catch (error) {
      if (isReason(error, 'NotFound')) return false;
      throw error;
    }
  }

  /** Changes the owner references of an object. Sends no write if nothing changes or the object is gone. */
  async changeOwners(
    identity: Identity,
    change: (owners: readonly OwnerReference[]) => OwnerReference[],
  ): Promise<void> {
    await this.#patch(identity, ({ ownerReferences = [] }) => {
      const changed = change(ownerReferences);
      return sameReferences(changed, ownerReferences) ? undefined : { ownerReferences: orNull(changed) };
    });
  }

  async removeFinalizer(identity: Identity, name: string): Promise<void> {
    await this.#patch(identity, ({ finalizers = [] }) => {
      if (!finalizers.includes(name)) return undefined;
      return { finalizers: orNull(finalizers.filter((finalizer) => finalizer !== name)) };
    });
  }

  async #patch(
    identity: Identity,
    change: (metadata: KubeObject['metadata']) => Record<string, unknown> | undefined,
  ): Promise<void> {
    const path = this.#path(identity);
    for (let attempt = 1; ; attempt++) {
      const latest = await this.find(identity);
      if (latest === undefined || latest.metadata.uid !== identity.uid) return;
      const changed = change(latest.metadata);
      if (changed === undefined) return;
      const { resourceVersion, uid } = latest.metadata;
      const headers = { ...metadataOnly.object, 'content-type': 'application/merge-patch+json' };
      const body = { metadata: { uid, resourceVersion, ...changed } };
      try {
        await this.#api.json({ method: 'PATCH', path, headers, body });
        return;
      } catch (error) {
        if (isReason(error, 'NotFound')) return;
        if (!isReason(error, 'Conflict') || attempt === attempts) throw error;
      }
    }
  }

  #path(identity: Identity): string {
    const resource = this.resource(identity);
    if (resource.namespaced && identity.namespace === '') {
      throw new NamespacedOwnerError(`${identity.kind} ${identity.name} is of a namespaced kind`);
    }
    return resourcePath(resource, identity.namespace, identity.name);
  }
}

/** In a merge patch, null removes a field; an empty list would be stored. */
const orNull = <T>(list: T[]): T[] | null => (list.length === 0 ? null : list);

const sameReferences = (a: readonly OwnerReference[] = [], b: readonly OwnerReference[] = []): boolean =>
  deepEqual(a as never, b as never);
