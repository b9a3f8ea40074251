import { isObject, type JsonObject, type JsonValue, setOwn, stringifyJson } from '@annex/machinery';

/**
 * Returns the text of an object after a merge patch, as kube-apiserver quotes it: members are sorted where
 * the patch has an object, and keep their order elsewhere.
 */
export const mergedText = (patched: JsonValue, patch: unknown): string =>
  stringifyJson(sortVisited(patched, visitedBy(patch as JsonValue)));

const isContainer = (value: JsonValue): value is JsonObject | JsonValue[] =>
  isObject(value) || Array.isArray(value);

function visitedBy(patch: JsonValue): Visited {
  const inner = isContainer(patch) ? Object.entries(patch) : [];
  return new Map(
    inner.filter(([, value]) => isContainer(value)).map(([name, value]) => [name, visitedBy(value)]),
  );
}

/** The containers on the paths of a JSON patch's operations, by name. */
type Visited = Map<string, Visited>;

/**
 * Returns the text of an object after a JSON patch, as kube-apiserver quotes it: members are sorted on the
 * paths of operations, and keep their order elsewhere.
 */
export function jsonPatchedText(patched: JsonValue, operations: unknown): string {
  const visited: Visited = new Map();
  for (const operation of Array.isArray(operations) ? (operations as JsonValue[]) : []) {
    if (!isObject(operation)) continue;
    for (const pointer of [operation.path, operation.from]) {
      if (typeof pointer === 'string') visit(visited, pointer.split('/').slice(1, -1).map(unescaped));
    }
  }
  return stringifyJson(sortVisited(patched, visited));
}

const unescaped = (token: string): string => token.replaceAll('~1', '/').replaceAll('~0', '~');

function visit(visited: Visited, names: readonly string[]): void {
  for (const name of names) {
    const next: Visited = visited.get(name) ?? new Map();
    visited.set(name, next);
    visited = next;
  }
}

function sortVisited(value: JsonValue, visited: Visited | undefined): JsonValue {
  if (visited === undefined) return value;
  if (Array.isArray(value)) return value.map((item, i) => sortVisited(item, visited.get(String(i))));
  if (!isObject(value)) return value;
  const sorted: JsonObject = {};
  for (const name of Object.keys(value).sort()) {
    setOwn(sorted, name, sortVisited(value[name] as JsonValue, visited.get(name)));
  }
  return sorted;
}
