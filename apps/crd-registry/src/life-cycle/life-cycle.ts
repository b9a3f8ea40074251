import { createPacer } from '@annex/runtime';
import type { ResourceKind } from '@annex/kinds';
import { finishInSlices } from '@annex/machinery';
import { decodeLarge, pause, type ServerDeps } from '@annex/server';
import type { CacheEvent, StoredObject } from '@annex/storage';
import { type Crd, crdPrefix } from '../crd/crd.ts';
import { overlapsBuiltin } from '../served/overlap.ts';
import { storagePrefix } from '../served/storage-kind.ts';
import { lingerMs, type ServedCrds } from '../served/served-crds.ts';
import { releasesNames } from './accepted-names.ts';
import { Claims } from './claims.ts';
import { asCrd, CrdStore } from './crd-store.ts';
import type { NewCondition } from './conditions.ts';
import { nonStructural, withNextStatus } from './next-status.ts';
import { isTerminating, terminate } from './termination.ts';

/**
 * Runs the life cycle of CRDs: serves them, decides about their names, and deletes their objects. It follows the watch cache of CRDs. Every
 * replica does the same work; the store decides which write succeeds.
 */
export class CrdLifeCycle {
  readonly #deps: ServerDeps;
  readonly #crds: CrdStore;
  readonly #served: ServedCrds;
  readonly #stopping = new AbortController();
  readonly #claims = new Claims();
  /** CRDs whose status must be computed, in the order of their changes. */
  readonly #queue = new Set<string>();
  /** CRDs whose status is being written. */
  readonly #writing = new Map<string, Promise<void>>();
  /** CRDs whose objects are being deleted, by uid. */
  readonly #terminating = new Set<string>();
  /** The last event, if it waits for the decoding of a large CRD. */
  #decoding: Promise<void> | undefined;
  /** The revision from which events are followed: earlier ones are obsolete. */
  #followed = 0;
  #working: Promise<void> | undefined;
  #end = (): void => {};

  constructor(deps: ServerDeps, kind: ResourceKind, served: ServedCrds) {
    this.#deps = deps;
    this.#crds = new CrdStore(deps, kind);
    this.#served = served;
  }

  /** Resolves when every accepted CRD is served. */
  async start(): Promise<void> {
    await this.#crds.cache.waitFor();
    await this.#follow();
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the server is stopping'));
    this.#end();
    await this.#working;
    await Promise.all(this.#writing.values());
    this.#served.close();
  }

  async #follow(): Promise<void> {
    const { cache } = this.#crds;
    const { entries, revision } = cache.list(crdPrefix);
    this.#followed = revision;
    const pace = createPacer();
    for (const { value } of entries) {
      this.#changed(asCrd(value));
      const turn = pace();
      if (turn) await turn;
    }
    if (this.#stopping.signal.aborted) return;
    this.#end = cache.subscribe(crdPrefix, revision, {
      onEvent: (event) => this.#inOrder(event, revision),
      onError: (error) => this.#onError(error),
    });
  }

  /** Large definitions are decoded in slices; the events behind them wait. */
  #inOrder(event: CacheEvent<StoredObject>, followed: number): void {
    const decoding = decodeLarge(event.value);
    if (decoding === undefined && this.#decoding === undefined) return this.#onEvent(event);
    const mine: Promise<void> = Promise.all([decoding, this.#decoding])
      .then(() => {
        const isObsolete = this.#stopping.signal.aborted || this.#followed !== followed;
        if (!isObsolete) this.#onEvent(event);
      })
      .catch((error: Error) => this.#onError(error))
      .then(() => {
        if (this.#decoding === mine) this.#decoding = undefined;
      });
    this.#decoding = mine;
  }

  #onEvent(event: CacheEvent<StoredObject>): void {
    const crd = asCrd(event.value);
    if (event.type === 'deleted') return this.#gone(crd);
    // Not `event.previous`: it may have to be decoded again.
    const before = this.#claims.get(crd);
    if (before !== undefined && before.metadata.uid !== crd.metadata.uid) this.#gone(before);
    this.#changed(crd);
    if (before !== undefined && releasesNames(before, crd)) this.#reconsiderGroup(crd);
  }

  // The watch lost events, so all CRDs are read again.
  #onError(error: Error): void {
    if (this.#stopping.signal.aborted) return;
    this.#deps.log.warn('the watch of CRDs broke, they are read again', { error: error.message });
    this.#readAnew().catch((cause: Error) => this.#later(() => this.#onError(cause)));
  }

  async #readAnew(): Promise<void> {
    await this.#crds.cache.waitFor();
    const present = new Set(this.#crds.all().map((crd) => crd.metadata.name));
    for (const crd of this.#claims.all()) {
      if (!present.has(crd.metadata.name)) this.#gone(crd);
    }
    await this.#follow();
  }

  #changed(crd: Crd): void {
    this.#claims.set(crd);
    this.#serve(crd);
    if (isTerminating(crd)) this.#terminate(crd);
    this.#enqueue(crd);
  }

  #serve(crd: Crd): void {
    try {
      this.#served.put(crd);
    } catch (error) {
      // A CRD that cannot be served must not affect the others.
      this.#deps.log.error('a CRD cannot be served', about(crd, error));
    }
  }

  #gone(crd: Crd): void {
    this.#claims.delete(crd);
    this.#served.remove(crd.metadata.name ?? '');
    if (!overlapsBuiltin(crd.spec)) this.#forget(crd);
    this.#reconsiderGroup(crd);
  }

  /** Drops the watch cache of its objects when no watch uses it. */
  #forget(crd: Crd): void {
    this.#deps.clock.setTimeout(() => {
      const isGone = this.#crds.get(crd.metadata.name ?? '') === undefined;
      if (isGone && !this.#stopping.signal.aborted) this.#deps.feed.forget(storagePrefix(crd));
    }, lingerMs);
  }

  /** Names became free: other CRDs of the group may get them. */
  #reconsiderGroup(crd: Crd): void {
    for (const other of this.#claims.othersOf(crd)) this.#enqueue(other);
  }

  #enqueue(crd: Crd): void {
    this.#queue.add(crd.metadata.name ?? '');
    this.#work();
  }

  #work(): void {
    this.#working ??= this.#decide().finally(() => {
      this.#working = undefined;
      if (this.#next() !== undefined) this.#work();
    });
  }

  // Decisions are made one after the other, so that the first CRD gets its names; writes are concurrent.
  async #decide(): Promise<void> {
    await Promise.resolve();
    const pace = createPacer();
    for (let name = this.#next(); name !== undefined; name = this.#next()) {
      this.#queue.delete(name);
      const crd = this.#crds.get(name);
      if (crd !== undefined) {
        // Before the decision: a large schema is checked in slices, in which other CRDs may change.
        const violations = await finishInSlices(nonStructural(crd), pause);
        if (this.#crds.get(name) === crd) this.#writing.set(name, this.#updateStatus(crd, violations));
        else this.#queue.add(name);
      }
      const turn = pace();
      if (turn) await turn;
    }
  }

  /** Returns the first CRD in the queue without a write in progress, while the limit of concurrent writes allows. */
  #next(): string | undefined {
    if (this.#stopping.signal.aborted || this.#writing.size >= width) return undefined;
    return this.#queue.values().find((name) => !this.#writing.has(name));
  }

  async #updateStatus(crd: Crd, violations: readonly NewCondition[]): Promise<void> {
    let release: (() => void) | undefined;
    try {
      const taken = () => this.#claims.takenFrom(crd);
      const next = withNextStatus(crd, taken, this.#crds.now(), violations);
      release = next && this.#claims.addPending(next);
      if (next !== undefined) {
        // From the decision on: its first requests do not wait for the write.
        this.#serve(next);
        await this.#crds.update(next);
      }
    } catch (error) {
      this.#deps.log.error('the status of a CRD was not written', about(crd, error));
      const stored = this.#crds.get(crd.metadata.name ?? '');
      if (stored !== undefined) this.#serve(stored);
      this.#later(() => this.#enqueue(crd));
    }
    // If there was nothing to write, this must run after the entry in #writing was added.
    await Promise.resolve();
    release?.();
    this.#writing.delete(crd.metadata.name ?? '');
    this.#work();
  }

  #terminate(crd: Crd): void {
    const { uid = '', name = '' } = crd.metadata;
    if (this.#terminating.has(uid)) return;
    this.#terminating.add(uid);
    terminate(this.#deps, this.#crds, crd, this.#stopping.signal)
      .catch((error: unknown) => {
        // Another replica may have finished the deletion.
        const isThere = this.#crds.get(name)?.metadata.uid === uid;
        if (!isThere || this.#stopping.signal.aborted) return;
        this.#deps.log.error('a CRD was not cleaned up', about(crd, error));
        this.#later(() => this.#terminate(crd));
      })
      .finally(() => this.#terminating.delete(uid));
  }

  /** Retries after a failure, when the store may be available again. */
  #later(again: () => void): void {
    this.#deps.clock.setTimeout(() => {
      if (!this.#stopping.signal.aborted) again();
    }, retryMs);
  }
}

const retryMs = 1000;

/** Number of concurrent writes of CRDs. */
const width = 32;

const about = (crd: Crd, error: unknown) => ({ crd: crd.metadata.name ?? '', error: String(error) });
