import { type JsonValue, type KubeObject, parseJson, setOwn, stringifyJson } from '@annex/machinery';
import { type Entry, StoreError } from '../store.ts';

/**
 * A stored Kubernetes object: decoded on first use, encoded on first use, shared by all readers. Never change
 * it.
 */
export class StoredObject {
  /** The revision of the write, which is also its `metadata.resourceVersion`. */
  readonly modRevision: number;
  #bytes: Uint8Array | undefined;
  #object: KubeObject | undefined;
  #json: Buffer | undefined;
  #line: Buffer | undefined;
  readonly #key: string | undefined;

  constructor(entry: Pick<Entry, 'value' | 'modRevision'> & { key?: string }) {
    this.modRevision = entry.modRevision;
    this.#key = entry.key;
    this.#bytes = entry.value;
  }

  /**
   * The object, with `metadata.resourceVersion`. Throws StoreError `damaged` if the stored value is not an
   * object.
   */
  get object(): KubeObject {
    if (!this.#object) {
      this.#object = withResourceVersion(parseObject(this.#bytes!, this.#key), this.modRevision);
      this.#bytes = undefined;
    }
    return this.#object;
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
    return (this.#line ??= Buffer.from(`${stringifyJson(this.object)}\n`));
  }

  /** Returns the same object with a later revision: the object of a deleted event. */
  at(modRevision: number): StoredObject {
    const copy = new StoredObject({ value: new Uint8Array(0), modRevision });
    const { object } = this;
    copy.#object = withResourceVersion(object, modRevision);
    copy.#bytes = undefined;
    return copy;
  }
}

function parseObject(bytes: Uint8Array, key: string | undefined): KubeObject {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  const damaged = (why: string) =>
    new StoreError('damaged', `the value of the key ${key} is damaged: ${why}`);
  let value: JsonValue;
  try {
    value = parseJson(text);
  } catch (error) {
    throw damaged((error as Error).message);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw damaged('it is not an object');
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
