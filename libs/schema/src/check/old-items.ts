import { isObject, type JsonObject, type JsonValue } from '@annex/machinery';
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
    return key === undefined ? undefined : (this.#byKey ??= this.#index()).get(key);
  }

  #index(): Map<string, JsonValue> {
    const byKey = new Map<string, JsonValue>();
    for (const item of this.#items) {
      const key = this.#keyOf(item);
      if (key !== undefined && !byKey.has(key)) byKey.set(key, item);
    }
    return byKey;
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
