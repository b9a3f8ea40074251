import type { JsonObject, JsonValue } from './json-object.ts';
import { type Passes, visitedAtOnce } from './passes.ts';
import { namesInPasses } from './wide-objects.ts';

/**
 * Returns whether all objects and lists of a JSON value pass a check, in passes if the value is large. The check gets the names of an
 * object, or `undefined` for a list, and how deep it is: 1 for the value itself. It runs in the order of the text, and ends with the first false result. A pass visits `atOnce` members
 * and items.
 */
export function* everyContainer(
  value: JsonValue,
  check: (names: readonly string[] | undefined, depth: number) => boolean,
  atOnce = visitedAtOnce,
): Passes<boolean> {
  const open: JsonValue[] = [value];
  const depths = [1];
  let visited = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const depth = depths.pop() ?? 1;
    if (typeof next !== 'object' || next === null) continue;
    // Containers without members take time, too.
    if (++visited % atOnce === 0) yield;
    const names = Array.isArray(next) ? undefined : yield* namesInPasses(next);
    if (!check(names, depth)) return false;
    // The first part is on top.
    for (let i = (names ?? (next as JsonValue[])).length - 1; i >= 0; i--) {
      if (++visited % atOnce === 0) yield;
      // permitted: no-inherited-keys, these are its own names
      const part = (next as JsonObject)[names === undefined ? i : (names[i] as string)];
      if (typeof part !== 'object' || part === null) continue;
      open.push(part);
      depths.push(depth + 1);
    }
  }
  return true;
}
