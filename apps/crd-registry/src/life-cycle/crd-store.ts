import { finishInSlices, groupVersion, type KubeObject } from '@annex/machinery';
import { FieldSet, trackUpdateInPasses } from '@annex/schema';
import { encodeStoredInSlices, pause, type ServerDeps } from '@annex/server';
import type { ResourceKind } from '@annex/kinds';
import { noteWritten, StoreError, type StoredObject, type WatchCache } from '@annex/storage';
import { type Crd, crdPrefix } from '../crd/crd.ts';

/** Reads CRDs from the watch cache, and writes them with optimistic concurrency. */
export class CrdStore {
  readonly cache: WatchCache<StoredObject>;
  readonly #deps: ServerDeps;
  readonly #kind: ResourceKind;

  constructor(deps: ServerDeps, kind: ResourceKind) {
    this.#deps = deps;
    this.#kind = kind;
    this.cache = deps.feed.objects(crdPrefix);
  }

  get(name: string): Crd | undefined {
    const entry = this.cache.get(crdPrefix + name);
    return entry && asCrd(entry.value);
  }

  /** Returns every CRD, by name. */
  all(): Crd[] {
    return this.cache.list(crdPrefix).entries.map((entry) => asCrd(entry.value));
  }

  now(): number {
    return this.#deps.clock.now();
  }

  /** Writes a CRD with a changed status. Resolves to false after a conflict. In both cases, the cache contains the result. */
  async update(crd: Crd): Promise<boolean> {
    const key = crdPrefix + crd.metadata.name;
    const live = this.get(crd.metadata.name ?? '');
    const tracked = live === undefined ? crd : await this.#track(live, crd);
    await pause();
    const bytes = await encodeStoredInSlices(tracked);
    // Its spec is that of the CRD before, so that all forms of a CRD share it.
    noteWritten(bytes, tracked as unknown as KubeObject);
    return await this.#settle(() => this.#deps.store.update(key, bytes, revisionOf(crd)));
  }

  /** Removes a CRD; conflicts as in {@link update}. */
  async remove(crd: Crd): Promise<boolean> {
    const key = crdPrefix + crd.metadata.name;
    return await this.#settle(async () => (await this.#deps.store.delete(key, revisionOf(crd))).revision);
  }

  // Only the status is written here, so only its managed fields change.
  async #track(live: Crd, crd: Crd): Promise<Crd> {
    const withStatus = ({ spec: _spec, ...rest }: Crd): KubeObject => rest;
    const tracking = trackUpdateInPasses({
      live: withStatus(live),
      updated: withStatus(crd),
      schema: this.#kind.schema.root,
      apiVersion: groupVersion(this.#kind),
      typed: true,
      manager: 'kube-apiserver',
      subresource: 'status',
      resetFields: statusWritesNot,
      now: this.now(),
    });
    const { metadata } = await finishInSlices(tracking, pause);
    return { ...crd, metadata };
  }

  async #settle(write: () => Promise<number>): Promise<boolean> {
    try {
      await this.cache.waitFor(await write());
      return true;
    } catch (error) {
      if (!(error instanceof StoreError) || (error.code !== 'conflict' && error.code !== 'notFound'))
        throw error;
      await this.cache.waitFor();
      return false;
    }
  }
}

const statusWritesNot = FieldSet.of(['metadata'], ['spec']);

const revisionOf = (crd: Crd): number => Number(crd.metadata.resourceVersion);

export const asCrd = (stored: StoredObject): Crd => stored.object as unknown as Crd;
