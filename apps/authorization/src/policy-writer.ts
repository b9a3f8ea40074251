import { randomUUID } from 'node:crypto';
import { rbacGroup, rbacPrefixes } from '@annex/auth';
import { formatTime, type KubeObject } from '@annex/machinery';
import { trackUpdate } from '@annex/schema';
import { encodeStored, type ServerDeps } from '@annex/server';
import type { KindRegistry } from '@annex/kinds';
import { createMissing, StoreError } from '@annex/storage';
import type { PolicyObject, PolicyResource } from './bootstrap-policy.ts';

/** Writes roles and bindings as kube-apiserver does at start: without authorization. */
export class PolicyWriter {
  readonly #deps: ServerDeps;
  readonly #kinds: KindRegistry;

  constructor(deps: ServerDeps, kinds: KindRegistry) {
    this.#deps = deps;
    this.#kinds = kinds;
  }

  /** Resolves when all objects that are stored now can be read. */
  async ready(): Promise<void> {
    await Promise.all(Object.values(rbacPrefixes).map((prefix) => this.#deps.feed.objects(prefix).waitFor()));
  }

  read(resource: PolicyResource, metadata: KubeObject['metadata']): KubeObject | undefined {
    return this.#find(resource, metadata)?.value.object;
  }

  /** Creates objects, unless another replica has created them. */
  async create(objects: readonly PolicyObject[]): Promise<void> {
    const creationTimestamp = formatTime(this.#deps.clock.now());
    const entries = objects.map(({ resource, object: { metadata, ...body } }) => {
      const identity = { uid: randomUUID(), creationTimestamp };
      const created = this.#tracked(resource, { ...body, metadata: { ...metadata, ...identity } });
      return { key: policyKey(resource, metadata), value: encodeStored(created) };
    });
    await createMissing(this.#deps.store, entries);
  }

  async update({ resource, object }: PolicyObject): Promise<void> {
    const found = this.#find(resource, object.metadata);
    if (found === undefined) return;
    const updated = this.#tracked(resource, object, found.value.object);
    const key = policyKey(resource, object.metadata);
    await unlessOutrun(this.#deps.store.update(key, encodeStored(updated), found.modRevision));
  }

  async delete({ resource, object: { metadata } }: PolicyObject): Promise<void> {
    const revision = this.#find(resource, metadata)?.modRevision;
    await unlessOutrun(this.#deps.store.delete(policyKey(resource, metadata), revision));
  }

  #find(resource: PolicyResource, metadata: KubeObject['metadata']) {
    return this.#cacheOf(resource).get(policyKey(resource, metadata));
  }

  #cacheOf(resource: PolicyResource) {
    return this.#deps.feed.objects(`/registry/${resource}/`);
  }

  // Null lists have no field manager.
  #tracked(resource: PolicyResource, object: KubeObject, live?: KubeObject): KubeObject {
    const kind = this.#kinds.get(rbacGroup, 'v1', resource);
    if (kind === undefined) return object;
    const { metadata } = trackUpdate({
      live,
      updated: withoutNulls(object),
      schema: kind.schema.root,
      apiVersion: `${rbacGroup}/v1`,
      typed: true,
      empty: kind.schema.empty,
      manager: 'kube-apiserver',
      now: this.#deps.clock.now(),
    });
    return { ...object, metadata };
  }
}

const policyKey = (resource: PolicyResource, { name = '', namespace }: KubeObject['metadata']): string =>
  `/registry/${resource}/${namespace === undefined ? '' : `${namespace}/`}${name}`;

const withoutNulls = (object: KubeObject): KubeObject => ({
  ...(Object.fromEntries(
    Object.entries(object).filter(([, value]) => value !== null),
  ) as unknown as KubeObject),
  metadata: { ...object.metadata },
});

/** Ignores conflicts: another replica wrote the same. */
async function unlessOutrun(write: Promise<unknown>): Promise<void> {
  try {
    await write;
  } catch (error) {
    if (!(error instanceof StoreError && ['exists', 'conflict', 'notFound'].includes(error.code)))
      throw error;
  }
}
