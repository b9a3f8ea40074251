import { Buffer } from 'node:buffer';
import {
  deepCopy,
  deepEqual,
  finishInSlices,
  groupVersion,
  internalError,
  type JsonValue,
  keptBytes,
  type KubeObject,
  stringifyJson,
} from '@annex/machinery';
import { isSortedJsonInPasses, isSortedObject, sortedJsonInPasses, sortedObject } from '@annex/schema';
import { noteWritten, StoreError, StoredObject, withResourceVersion } from '@annex/storage';
import { mapMaybePromise } from '@annex/runtime';
import type { ServerDeps } from './app.ts';
import { slicedBodyBytes } from './decoding/body-limits.ts';
import type { ResourceKind, StorageKind } from '@annex/kinds';
import {
  copyInSlices,
  decodeLarge,
  equalInSlices,
  isLarge,
  pause,
  stringifyInSlices,
} from './large-objects.ts';
import { fromStoredInSlices, toStoredInSlices } from './stored-conversion.ts';
import { storeStatus } from './store-status.ts';

/** Objects up to this length are compared with their bytes, so that reads need not decode them. */
const sharedBytes = 128 * 1024;

/** The form of an object in this version of the kind is the stored object. */
const asStored = Symbol('as stored');

/** A stored object, and its form in this version of the kind. */
export interface Current {
  stored: StoredObject;
  /** In the version of the kind, with its resourceVersion. Shared and read-only. */
  object: KubeObject;
}

/** The stored objects of one kind. Reads use the watch cache; writes use the store. */
export class StoredObjects {
  readonly kind: ResourceKind;
  readonly #deps: ServerDeps;
  readonly #storage: StorageKind;
  readonly #converted = new WeakMap<StoredObject, KubeObject | Promise<KubeObject> | typeof asStored>();
  /** Objects that were written as they are read, without their resourceVersion. */
  readonly #asRead = new WeakSet<KubeObject>();

  constructor(deps: ServerDeps, kind: ResourceKind) {
    if (kind.storage === undefined) throw new Error(`${kind.resource}.${kind.group} is not stored`);
    this.kind = kind;
    this.#deps = deps;
    this.#storage = kind.storage;
  }

  get cache() {
    return this.#deps.feed.objects(this.#storage.prefix);
  }

  get prefix(): string {
    return this.#storage.prefix;
  }

  /** Returns the key prefix of a namespace; of all objects for the empty namespace. */
  prefixOf(namespace: string): string {
    // The path of a Namespace names it also as the namespace; its key does not.
    return namespace === '' || !this.kind.namespaced
      ? this.#storage.prefix
      : `${this.#storage.prefix}${namespace}/`;
  }

  key(namespace: string, name: string): string {
    return this.prefixOf(namespace) + name;
  }

  /** Returns the newest object with that name, without a promise if nothing has to be awaited; `undefined` if there is none. */
  read(namespace: string, name: string): Current | undefined | Promise<Current | undefined> {
    const { cache } = this;
    return cache.isCurrent()
      ? this.readCached(namespace, name)
      : cache.waitFor().then(() => this.readCached(namespace, name));
  }

  /** Returns the object with that name as the watch cache has it. The cache must be loaded. */
  readCached(namespace: string, name: string): Current | undefined | Promise<Current> {
    return this.#cached(this.key(namespace, name));
  }

  #cached(key: string): Current | undefined | Promise<Current> {
    const stored = this.cache.get(key)?.value;
    if (stored === undefined) return undefined;
    if (stored.unreadable !== undefined) throw internalError(stored.unreadable);
    const shown = this.show(stored);
    return shown instanceof Promise
      ? shown.then((object) => ({ stored, object }))
      : { stored, object: shown };
  }

  /** Converts a stored object to the version of the kind. Converted once; shared and read-only. */
  show(stored: StoredObject): KubeObject | Promise<KubeObject> {
    const decoding = isLarge(stored) ? decodeLarge(stored) : undefined;
    if (decoding !== undefined) return this.#showDecoded(stored, decoding);
    if (this.#storage.identity) return stored.object;
    const known = this.#converted.get(stored);
    if (known === asStored) return stored.object;
    if (known !== undefined) return known;
    const { written } = stored;
    const isAsRead = written !== undefined && this.#asRead.has(written);
    const shown = isAsRead ? stored.object : this.#convert(stored);
    this.#keepConverted(stored, shown);
    return shown;
  }

  /** Reports whether `show` is known to return the stored object itself. */
  isShownAsStored(stored: StoredObject): boolean {
    return this.#storage.identity || this.#converted.get(stored) === asStored;
  }

  /** A stored object drops its decoded form if it is not used: no reference to it may stay. */
  #keepConverted(stored: StoredObject, shown: KubeObject | Promise<KubeObject>): void {
    this.#converted.set(stored, shown === stored.object ? asStored : shown);
  }

  async #showDecoded(stored: StoredObject, decoding: Promise<void>): Promise<KubeObject> {
    await decoding;
    return await this.show(stored);
  }

  #convert(stored: StoredObject): KubeObject | Promise<KubeObject> {
    if (isLarge(stored)) return this.#convertLarge(stored);
    // New defaults can make a small object large.
    const shown = this.#storage.fromStored(deepCopy(stored.object), pause);
    if (!(shown instanceof Promise)) {
      // An object that needs no conversion shares the stored object and its cached JSON.
      return deepEqual(shown, stored.object) ? stored.object : this.#ordered(shown);
    }
    // The next reader retries a failed conversion.
    shown.catch(() => this.#converted.delete(stored));
    return shown.then((object) => this.#ordered(object));
  }

  #convertLarge(stored: StoredObject): Promise<KubeObject> {
    const shown = this.#convertInSlices(stored);
    shown.then(
      (object) => this.#keepConverted(stored, object),
      () => this.#converted.delete(stored),
    );
    return shown;
  }

  async #convertInSlices(stored: StoredObject): Promise<KubeObject> {
    await decodeLarge(stored);
    const copy = await copyInSlices(stored.object);
    const shown = await fromStoredInSlices(this.#storage, copy);
    await pause();
    if (await equalInSlices(shown, stored.object)) return stored.object;
    await pause();
    return await this.#orderedInSlices(shown);
  }

  async #orderedInSlices(object: KubeObject): Promise<KubeObject> {
    const value = object as unknown as JsonValue;
    if (!this.kind.behavior.sorted || (await finishInSlices(isSortedJsonInPasses(value), pause)))
      return object;
    return await sortedInSlices(object);
  }

  // Defaults and conversion append members.
  #ordered(object: KubeObject): KubeObject {
    if (!this.kind.behavior.sorted || isSortedObject(object)) return object;
    return sortedObject(object);
  }

  /** Stores a new object and returns it with its resourceVersion. Throws AlreadyExists. */
  async create(
    object: KubeObject,
    { ttlSeconds, large = false }: { ttlSeconds?: number | undefined; large?: boolean } = {},
  ): Promise<KubeObject> {
    const stored = await this.#toStored(object, large);
    const turn = pause();
    if (turn !== undefined) await turn;
    const bytes = large ? await this.#largeBytesOf(stored) : this.#bytesOf(stored);
    const { namespace = '', name = '' } = object.metadata;
    const options = ttlSeconds === undefined ? {} : { ttlSeconds };
    const revision = await this.#write(name, () =>
      this.#deps.store.create(this.key(namespace, name), bytes, options),
    );
    return await this.#written(stored, bytes, revision);
  }

  /**
   * Replaces an object. Returns `undefined` after a concurrent change. Writes nothing if the stored form does
   * not change, unless it is encrypted with an old key.
   */
  async update(
    current: Current,
    object: KubeObject,
    large = isLarge(current.stored),
  ): Promise<KubeObject | undefined> {
    const stored = await this.#toStored(object, large);
    const { namespace = '', name = '' } = current.object.metadata;
    const key = this.key(namespace, name);
    const isSame = large
      ? await equalInSlices(withoutVersion(stored), withoutVersion(current.stored.object))
      : sameStored(stored, current.stored.object);
    if (isSame && !(await this.#isStale(key))) return current.object;
    const turn = pause();
    if (turn !== undefined) await turn;
    const bytes = large ? await this.#largeBytesOf(stored) : this.#bytesOf(stored);
    const shown = await this.#note(stored, bytes);
    const revision = await this.#unlessChanged(name, () =>
      this.#deps.store.update(key, bytes, current.stored.modRevision),
    );
    if (revision === undefined) return undefined;
    return shown === undefined ? await this.#written(stored, bytes, revision) : withVersion(shown, revision);
  }

  /**
   * Returns the object as later reads return it, without its resourceVersion, and gives it to them before its bytes are written: they do not
   * decode these. `undefined` for objects of other kinds, of other versions than the stored one, and for large ones.
   */
  async #note(stored: KubeObject, bytes: Buffer): Promise<KubeObject | undefined> {
    if (!this.kind.behavior.sorted || bytes.length > sharedBytes) return undefined;
    if (this.#storage.apiVersion !== groupVersion(this.kind)) return undefined;
    const shown = await this.#shown(stored);
    // Defaults may have changed it after it was encoded.
    if (this.#bytesOf(shown).equals(bytes)) {
      noteWritten(bytes, shown);
      this.#asRead.add(shown);
    }
    return shown;
  }

  /** Reads from the store: the keys may have changed since the object was cached. */
  async #isStale(key: string): Promise<boolean> {
    const { store } = this.#deps;
    return store.capabilities.encrypted === true && (await store.get(key)).entry?.stale === true;
  }

  /**
   * Returns the object of the response to a write, as a later read returns it. Another storage version may
   * lose fields.
   */
  async #written(stored: KubeObject, bytes: Buffer, revision: number): Promise<KubeObject> {
    if (this.#storage.apiVersion !== groupVersion(this.kind)) {
      return await this.#convert(new StoredObject({ value: bytes, modRevision: revision }));
    }
    return withVersion(await this.#shown(stored, bytes.length >= slicedBodyBytes), revision);
  }

  /** Returns the object of the response to a dry run, which has no new resourceVersion. */
  async preview(object: KubeObject, large: boolean): Promise<KubeObject> {
    return this.kind.behavior.typed ? object : await this.#shown(await this.#toStored(object, large), large);
  }

  // Returns a private copy. Custom resources get defaults again, because their strategy may have removed
  // fields.
  async #shown(stored: KubeObject, large = false): Promise<KubeObject> {
    if (this.kind.behavior.typed) return stored;
    const shown = await (large
      ? fromStoredInSlices(this.#storage, stored)
      : this.#storage.fromStored(stored));
    const turn = pause();
    if (turn !== undefined) await turn;
    return large ? await this.#orderedInSlices(shown) : this.#ordered(shown);
  }

  /** Removes an object. Returns the revision, or `undefined` after a concurrent change. */
  async remove(current: Current): Promise<number | undefined> {
    const { namespace = '', name = '' } = current.object.metadata;
    const key = this.key(namespace, name);
    const done = await this.#unlessChanged(name, () =>
      this.#deps.store.delete(key, current.stored.modRevision),
    );
    return done?.revision;
  }

  /** Encodes an object in its storage version. */
  async encode(object: KubeObject): Promise<Buffer> {
    return this.#bytesOf(await this.#toStored(object));
  }

  // Custom resources are stored with sorted keys, as kube-apiserver sends them.
  #bytesOf(stored: KubeObject): Buffer {
    return keptBytes(stringifyJson(this.#valueOf(stored)));
  }

  async #largeBytesOf(stored: KubeObject): Promise<Buffer> {
    return Buffer.from(await stringifyInSlices(this.#valueOf(stored)));
  }

  #valueOf(stored: KubeObject): object {
    return this.kind.behavior.sorted ? withoutVersion(stored) : valueOfBuiltIn(stored);
  }

  #toStored(object: KubeObject, large = false): KubeObject | Promise<KubeObject> {
    if (this.#storage.identity) return object;
    if (large) return this.#toStoredInSlices(object);
    // An object in the storage version needs no conversion, and sorting copies it.
    if (this.kind.behavior.sorted && object.apiVersion === this.#storage.apiVersion)
      return sortedObject(object);
    const stored = this.#storage.toStored(deepCopy(object));
    if (!this.kind.behavior.sorted) return stored;
    return mapMaybePromise(stored, sortedObject);
  }

  async #toStoredInSlices(object: KubeObject): Promise<KubeObject> {
    const { sorted: isSorted } = this.kind.behavior;
    if (isSorted && object.apiVersion === this.#storage.apiVersion) return await sortedInSlices(object);
    const stored = await toStoredInSlices(this.#storage, await copyInSlices(object));
    await pause();
    return isSorted ? await sortedInSlices(stored) : stored;
  }

  async #unlessChanged<T>(name: string, write: () => Promise<T>): Promise<T | undefined> {
    try {
      return await this.#write(name, write);
    } catch (error) {
      if (error instanceof StoreError && (error.code === 'conflict' || error.code === 'notFound')) {
        // The next read must see the change that made this write fail.
        await this.cache.waitFor();
        return undefined;
      }
      throw error;
    }
  }

  async #write<T>(name: string, write: () => Promise<T>): Promise<T> {
    try {
      return await write();
    } catch (error) {
      if (error instanceof StoreError && error.code !== 'conflict' && error.code !== 'notFound') {
        throw storeStatus(error, this.kind, name);
      }
      throw error;
    }
  }
}

const sortedInSlices = async (object: KubeObject): Promise<KubeObject> =>
  (await finishInSlices(sortedJsonInPasses(object as unknown as JsonValue), pause)) as unknown as KubeObject;

/** Returns whether a write would change only the resourceVersion. */
function sameStored(a: KubeObject, b: KubeObject): boolean {
  return deepEqual(withoutVersion(a), withoutVersion(b));
}

const withoutVersion = (object: KubeObject) => ({
  ...object,
  metadata: { ...object.metadata, resourceVersion: undefined },
});

/**
 * Encodes an object of a built-in kind for the store: its type first, without resourceVersion, which is the
 * store's revision.
 */
export const encodeStored = (object: KubeObject): Buffer => keptBytes(stringifyJson(valueOfBuiltIn(object)));

/** The same for an object that can be large, in slices. */
export const encodeStoredInSlices = async (object: KubeObject): Promise<Buffer> =>
  Buffer.from(await stringifyInSlices(valueOfBuiltIn(object)));

function valueOfBuiltIn(object: KubeObject): object {
  const { kind, apiVersion, ...rest } = withoutVersion(object);
  return { kind, apiVersion, ...rest };
}

/** Returns the object with the resourceVersion of a write. */
export const withVersion = withResourceVersion;
