import { type KubeObject, parseJson, stringifyJson } from '@annex/machinery';
import type { Entry } from '../store.ts';

/** A stored Kubernetes object: decoded on first use, encoded on first use, shared by everybody. Never change it. */
export class StoredObject {
  /** The revision of the write that made it, which is also its `metadata.resourceVersion`. */
  readonly modRevision: number;
  #bytes: Uint8Array | undefined;
  #object: KubeObject | undefined;
  #json: Buffer | undefined;

  constructor(entry: Pick<Entry, 'value' | 'modRevision'>) {
    this.modRevision = entry.modRevision;
    this.#bytes = entry.value;
  }

  /** The object, with `metadata.resourceVersion`. */
  get object(): KubeObject {
    if (!this.#object) {
      this.#object = parseObject(this.#bytes!, this.modRevision);
      this.#bytes = undefined;
    }
    return this.#object;
  }

  /** The object as JSON bytes. */
  json(): Buffer {
    return (this.#json ??= Buffer.from(stringifyJson(this.object)));
  }

  /** The same object as if a later write had left it as it is: how a watch shows what was deleted. */
  at(modRevision: number): StoredObject {
    const copy = new StoredObject({ value: new Uint8Array(0), modRevision });
    const { object } = this;
    copy.#object = { ...object, metadata: { ...object.metadata, resourceVersion: String(modRevision) } };
    copy.#bytes = undefined;
    return copy;
  }
}

function parseObject(bytes: Uint8Array, modRevision: number): KubeObject {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  const object = parseJson(text) as unknown as KubeObject;
  object.metadata ??= {};
  object.metadata.resourceVersion = String(modRevision);
  return object;
}
