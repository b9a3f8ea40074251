import { type JsonValue, type KubeObject, parseJson, setOwn, stringifyJson } from '@annex/machinery';
import { type Entry, StoreError } from '../store.ts';

/** A stored Kubernetes object: decoded on first use, encoded on first use, shared by everybody. Never change it. */
export class StoredObject {
  /** The revision of the write that made it, which is also its `metadata.resourceVersion`. */
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

  /** The object, with `metadata.resourceVersion`. Throws StoreError `damaged` where what is stored is none. */
  get object(): KubeObject {
    if (!this.#object) {
      this.#object = withResourceVersion(parseObject(this.#bytes!, this.#key), this.modRevision);
      this.#bytes = undefined;
    }
    return this.#object;
  }

  /** The object as JSON bytes. */
  json(): Buffer {
    return (this.#json ??= this.line().subarray(0, -1));
  }

  /** The same with the line break that ends an answer. */
  line(): Buffer {
    return (this.#line ??= Buffer.from(`${stringifyJson(this.object)}\n`));
  }

  /** The same object as if a later write had left it as it is: how a watch shows what was deleted. */
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

/** A copy with the version of a write, in the place that it has among sorted keys. Shares everything but the metadata. */
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
