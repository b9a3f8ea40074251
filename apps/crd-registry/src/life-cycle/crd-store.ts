import { encodeStored, type ServerDeps } from '@annex/server';
import { StoreError, type StoredObject, type WatchCache } from '@annex/storage';
import { type Crd, crdPrefix } from '../definition/crd.ts';

/** CRDs as the watch cache shows them, and optimistic writes of them. */
export class CrdStore {
  readonly cache: WatchCache<StoredObject>;
  readonly #deps: ServerDeps;

  constructor(deps: ServerDeps) {
    this.#deps = deps;
    this.cache = deps.feed.objects(crdPrefix);
  }

  get(name: string): Crd | undefined {
    const entry = this.cache.get(crdPrefix + name);
    return entry && asCrd(entry.value);
  }

  /** Every CRD, by name. */
  all(): Crd[] {
    return this.cache.list(crdPrefix).entries.map((entry) => asCrd(entry.value));
  }

  now(): number {
    return this.#deps.clock.now();
  }

  /**
   * Replaces a CRD that was read. Resolves to false where somebody else was faster. Either way the cache shows the outcome
   * then.
   */
  async update(crd: Crd): Promise<boolean> {
    const key = crdPrefix + crd.metadata.name;
    return await this.#settle(() => this.#deps.store.update(key, encodeStored(crd), revisionOf(crd)));
  }

  /** Removes a CRD that was read; else as {@link update}. */
  async remove(crd: Crd): Promise<boolean> {
    const key = crdPrefix + crd.metadata.name;
    return await this.#settle(async () => (await this.#deps.store.delete(key, revisionOf(crd))).revision);
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

const revisionOf = (crd: Crd): number => Number(crd.metadata.resourceVersion);

export const asCrd = (stored: StoredObject): Crd => stored.object as unknown as Crd;
