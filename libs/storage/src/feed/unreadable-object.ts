import { goQuote, type KubeObject } from '@annex/machinery';
import { type Entry, StoreError } from '../store.ts';
import { StoredObject } from './stored-object.ts';

/** A stored object that cannot be decrypted: every access throws StoreError `damaged` with kube-apiserver's message of lists. */
export class UnreadableObject extends StoredObject {
  readonly #entry: Entry;
  readonly #reason: string;

  constructor(entry: Entry, reason: string) {
    super(entry);
    this.#entry = entry;
    this.#reason = reason;
  }

  override get object(): KubeObject {
    const key = goQuote(this.#entry.key);
    throw new StoreError('damaged', `unable to transform key ${key}: ${this.#reason}`);
  }

  override decodeInPasses(): undefined {
    return undefined;
  }

  override encodeInPasses(): undefined {
    return undefined;
  }

  override get unreadable(): string {
    return this.#reason;
  }

  override at(modRevision: number): StoredObject {
    return new UnreadableObject({ ...this.#entry, modRevision }, this.#reason);
  }
}
