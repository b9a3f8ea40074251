import {
  finishInSlices,
  isObject,
  type JsonValue,
  keptBytes,
  type KubeObject,
  parseJson,
  parseJsonInPasses,
  type Passes,
  setOwn,
  stringifyJson,
  stringifyJsonInPasses,
} from '@annex/machinery';
import { createPacer } from '@annex/runtime';
import { type Entry, StoreError } from '../store.ts';

/** Values from this length on can be decoded in passes. */
const dividedBytes = 256 * 1024;

/**
 * A stored Kubernetes object: decoded on first use, encoded on first use, shared by all readers. Never change
 * it. The decoded form takes about three times the memory of the bytes: {@link StoredObject.dropUnused} drops it.
 */
export class StoredObject {
  /** The revision of the write, which is also its `metadata.resourceVersion`. */
  readonly modRevision: number;
  /** Bytes of the stored value. */
  readonly size: number;
  /** The stored value, until the object is encoded. */
  #bytes: Uint8Array | undefined;
  #object: KubeObject | undefined;
  /** Calls of `dropUnused` since the decoded form was read; 2 if it is dropped. */
  #unread = 0;
  #json: Buffer | undefined;
  #line: Buffer | undefined;
  /** The object with another revision, if this one is not decoded yet. */
  #source: StoredObject | undefined;
  readonly #key: string | undefined;

  constructor(entry: Pick<Entry, 'value' | 'modRevision'> & { key?: string }, source?: StoredObject) {
    this.modRevision = entry.modRevision;
    this.size = source?.size ?? entry.value.length;
    this.#source = source;
    this.#key = entry.key;
    this.#bytes = source === undefined ? entry.value : undefined;
  }

  /**
   * The object, with `metadata.resourceVersion`. Throws StoreError `damaged` if the stored value is not an
   * object.
   */
  get object(): KubeObject {
    this.#unread = 0;
    return (this.#object ??= this.#decoded(this.#source?.object ?? this.#parse()));
  }

  // Separate: a closure in the getter would allocate a context for each access.
  #parse(): KubeObject {
    const bytes = this.#encoded!;
    const written = writtenObjects.get(bytes);
    if (written !== undefined) return written;
    const text = textOf(bytes);
    return requireObject(
      parsed(() => parseJson(text), this.#key),
      this.#key,
    );
  }

  /** Bytes from which the object can be decoded. */
  get #encoded(): Uint8Array | undefined {
    return this.#line ?? this.#bytes;
  }

  /** True if the bytes are decoded, or need not be. */
  get isDecoded(): boolean {
    return this.#object !== undefined || this.written !== undefined;
  }

  /** What its writer noted about the bytes. */
  get written(): KubeObject | undefined {
    return this.#bytes && writtenObjects.get(this.#bytes);
  }

  /** True if `json` and `line` are immediate. */
  get isEncoded(): boolean {
    return this.#line !== undefined;
  }

  /** Drops the decoded form if it was not read since the call before. The next reader decodes it again. */
  dropUnused(): void {
    if (this.#unread > 1 || this.#encoded === undefined || ++this.#unread < 2) return;
    this.drop();
  }

  /** Drops the decoded form if there are bytes. The next reader decodes it again. */
  drop(): void {
    const bytes = this.#encoded;
    if (bytes === undefined) return;
    writtenObjects.delete(bytes);
    this.#object = undefined;
    this.#unread = 2;
  }

  /** Returns the work of decoding a large value, which other readers share; `undefined` if it is decoded or small. */
  decodeInPasses(): Passes<void> | undefined {
    if (this.#object !== undefined || this.size < dividedBytes) return undefined;
    if (this.#source !== undefined) return this.#source.decodeInPasses();
    return writtenObjects.has(this.#encoded!) ? undefined : this.#decodeOwn();
  }

  *#decodeOwn(): Passes<void> {
    const parsing = parseJsonInPasses(textOf(this.#encoded!));
    for (;;) {
      const { done, value } = parsed(() => parsing.next(), this.#key);
      // A reader that does not wait has decoded it.
      if (this.#object !== undefined) return;
      if (done === true) {
        this.#unread = 0;
        this.#object = this.#decoded(requireObject(value, this.#key));
        return;
      }
      yield;
    }
  }

  #decoded(object: KubeObject): KubeObject {
    this.#source = undefined;
    return withResourceVersion(object, this.modRevision);
  }

  /** Why the object cannot be decrypted; `undefined` if it can. */
  get unreadable(): string | undefined {
    return undefined;
  }

  /** Returns the object as JSON bytes. */
  json(): Buffer {
    return (this.#json ??= this.line().subarray(0, -1));
  }

  /** Returns the JSON bytes with a trailing line break. */
  line(): Buffer {
    return this.#line ?? this.#keepLine(keptBytes(`${stringifyJson(this.object)}\n`));
  }

  /** Returns the work of encoding a large object, so that `json` and `line` are immediate; `undefined` if they are, or it is small. */
  encodeInPasses(): Passes<void> | undefined {
    return this.#line !== undefined || this.size < dividedBytes ? undefined : this.#encodeOwn();
  }

  *#encodeOwn(): Passes<void> {
    const decoding = this.decodeInPasses();
    if (decoding !== undefined) yield* decoding;
    const text = yield* stringifyJsonInPasses(this.object);
    yield;
    if (this.#line === undefined) this.#keepLine(Buffer.from(`${text}\n`));
  }

  #keepLine(line: Buffer): Buffer {
    this.#bytes = undefined;
    return (this.#line = line);
  }

  /** Returns the same object with a later revision: the object of a deleted event. */
  at(modRevision: number): StoredObject {
    return new StoredObject({ value: noBytes, modRevision }, this);
  }
}

const writtenObjects = new WeakMap<Uint8Array, KubeObject>();

/**
 * Notes the object that was encoded as these bytes, for stores that pass the bytes of a write on to their
 * watches: the object need not be decoded. It must be what decoding returns, and is shared from now on.
 */
export const noteWritten = (bytes: Uint8Array, object: KubeObject): void =>
  void writtenObjects.set(bytes, object);

/** Returns whether a value can be decoded in passes. */
export const isLargeValue = ({ value, unreadable }: Entry): boolean =>
  value.length >= dividedBytes && unreadable === undefined;

/** Decodes a value in slices, before its object is read. A damaged one is left to its readers, which know its key. */
export async function decodeAhead({ value: bytes }: Entry): Promise<void> {
  if (writtenObjects.has(bytes)) return;
  try {
    const value = await finishInSlices(parseJsonInPasses(textOf(bytes)), createPacer());
    if (isObject(value)) noteWritten(bytes, value as unknown as KubeObject);
  } catch {
    // As said above.
  }
}

const noBytes = new Uint8Array(0);

const textOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');

const damaged = (key: string | undefined, why: string) =>
  new StoreError('damaged', `the value of the key ${key} is damaged: ${why}`);

/** Runs a part of the parser, and converts its error. */
function parsed<T>(parse: () => T, key: string | undefined): T {
  try {
    return parse();
  } catch (error) {
    throw damaged(key, (error as Error).message);
  }
}

function requireObject(value: JsonValue | undefined, key: string | undefined): KubeObject {
  if (!isObject(value)) throw damaged(key, 'it is not an object');
  return value as unknown as KubeObject;
}

/**
 * Copies an object with a resourceVersion at its sorted position among the metadata keys. Shares everything
 * except the metadata.
 */
export function withResourceVersion(object: KubeObject, revision: number): KubeObject {
  const metadata: Record<string, unknown> = {};
  const { resourceVersion: _replaced, ...others } = object.metadata ?? {};
  const version = String(revision);
  for (const [name, value] of Object.entries(others)) {
    if (name > 'resourceVersion' && metadata.resourceVersion === undefined)
      metadata.resourceVersion = version;
    setOwn(metadata, name, value);
  }
  metadata.resourceVersion ??= version;
  return { ...object, metadata };
}
