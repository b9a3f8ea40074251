import { finish, isObject, type JsonObject, type JsonValue, type Passes } from '@annex/machinery';
import { isPassOver } from './check-work.ts';
import type { SchemaNode } from '../node.ts';

/** The items of an old list by key; only map lists have keys. */
export class OldItems {
  readonly #keys: readonly string[];
  readonly #items: readonly JsonValue[];
  #byKey: Map<string, JsonValue> | undefined;

  constructor(node: SchemaNode, items: readonly JsonValue[]) {
    this.#keys = node.listType === 'map' ? (node.listMapKeys ?? []) : [];
    this.#items = this.#keys.length === 0 ? [] : items;
  }

  /** Returns the old item with the same key. */
  find(item: JsonValue): JsonValue | undefined {
    if (this.#items.length === 0) return undefined;
    const key = this.#keyOf(item);
    return key === undefined ? undefined : (this.#byKey ?? finish(this.prepare())).get(key);
  }

  /** Sorts the items by key, in passes; otherwise the first call of `find` does. */
  *prepare(): Passes<ReadonlyMap<string, JsonValue>> {
    if (this.#byKey !== undefined) return this.#byKey;
    const byKey = new Map<string, JsonValue>();
    for (const item of this.#items) {
      if (isPassOver(1)) yield;
      const key = this.#keyOf(item);
      if (key !== undefined && !byKey.has(key)) byKey.set(key, item);
    }
    return (this.#byKey = byKey);
  }

  #keyOf(item: JsonValue): string | undefined {
    if (!isObject(item)) return undefined;
    const parts = this.#keys.map((name) => keyPart(item, name));
    return parts.includes(undefined) ? undefined : parts.join(',');
  }
}

function keyPart(item: JsonObject, name: string): string | undefined {
  const value = Object.hasOwn(item, name) ? item[name] : undefined;
  if (value === undefined || value === null || typeof value === 'object') return undefined;
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}
