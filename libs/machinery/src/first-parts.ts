import { isObject, type JsonObject, type JsonValue, setOwn } from './json-object.ts';
import type { Passes } from './passes.ts';
import { namesInPasses } from './wide-objects.ts';

/** The beginning of a JSON value. */
export interface FirstParts<T> {
  readonly value: T;
  /** Whether it is a copy of the whole value. */
  readonly isWhole: boolean;
}

/**
 * Copies the first `limit` members and items of a JSON value, in the order of its text. Objects with many members have passes of their own,
 * because V8 lists their names first.
 */
export function* firstParts<T extends JsonValue>(value: T, limit: number): Passes<FirstParts<T>> {
  const copying = new Copying(limit);
  const copy = (yield* copying.copy(value)) as T;
  return { value: copy, isWhole: !copying.isEnded };
}

class Copying {
  isEnded = false;
  #left: number;

  constructor(limit: number) {
    this.#left = limit;
  }

  *copy(value: JsonValue): Passes<JsonValue> {
    if (Array.isArray(value)) {
      const items: JsonValue[] = [];
      for (const item of value) {
        if (this.#ends()) break;
        items.push(yield* this.copy(item));
      }
      return items;
    }
    if (!isObject(value)) return value;
    const members: JsonObject = {};
    for (const name of yield* namesInPasses(value)) {
      if (this.#ends()) break;
      // permitted: no-inherited-keys, it is one of its own names
      setOwn(members, name, yield* this.copy(value[name] as JsonValue));
    }
    return members;
  }

  #ends(): boolean {
    this.isEnded = this.#left-- <= 0;
    return this.isEnded;
  }
}
