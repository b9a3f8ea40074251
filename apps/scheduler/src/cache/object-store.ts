import type { KubeObject } from '@annex/machinery';
import { keyOf } from '../objects/pod-info.ts';

/**
 * The objects of one resource by `namespace/name`. An object can be assumed: the scheduler has decided a change that the API server does
 * not have yet, or has in a version that is still on its way. The assumption ends with a version from the API server that is not older.
 */
export class ObjectStore<T extends KubeObject = KubeObject> {
  readonly #objects = new Map<string, T>();
  readonly #assumed = new Map<string, T>();

  get(key: string): T | undefined {
    return this.#assumed.get(key) ?? this.#objects.get(key);
  }

  /** Returns the object as the API server has it. */
  stored(key: string): T | undefined {
    return this.#objects.get(key);
  }

  *values(): Generator<T> {
    for (const [key, object] of this.#objects) yield this.#assumed.get(key) ?? object;
    for (const [key, object] of this.#assumed) if (!this.#objects.has(key)) yield object;
  }

  get size(): number {
    return this.#objects.size;
  }

  set(object: T): void {
    const key = keyOf(object);
    this.#objects.set(key, object);
    const assumed = this.#assumed.get(key);
    if (assumed !== undefined && versionOf(assumed) <= versionOf(object)) this.#assumed.delete(key);
  }

  delete(object: T): void {
    const key = keyOf(object);
    this.#objects.delete(key);
    this.#assumed.delete(key);
  }

  assume(object: T): void {
    this.#assumed.set(keyOf(object), object);
  }

  /** Ends the assumption about an object. */
  restore(key: string): void {
    this.#assumed.delete(key);
  }
}

const versionOf = ({ metadata }: KubeObject): number => Number(metadata.resourceVersion ?? 0);
