import { getOwn, isObject, type JsonObject, type JsonValue, setOwn, stringifyJson } from '@annex/machinery';

/**
 * Returns the text of an object after a merge patch, as kube-apiserver quotes it: members are sorted where
 * the patch has an object, and keep their order elsewhere.
 */
export const mergedText = (patched: JsonValue, patch: unknown): string =>
  stringifyJson(sortVisited(patched, patch as Container, containerBelow));

type Container = JsonObject | JsonValue[];

function containerBelow(container: Container, name: string): Container | undefined {
  const value = getOwn(container, name) as JsonValue | undefined;
  return isObject(value) || Array.isArray(value) ? value : undefined;
}

/** The containers on the paths of a JSON patch's operations, by name. */
type Visited = Map<string, Visited>;

/**
 * Returns the text of an object after a JSON patch, as kube-apiserver quotes it: members are sorted on the
 * paths of operations, and keep their order elsewhere.
 */
export function jsonPatchedText(patched: JsonValue, operations: unknown): string {
  const visited: Visited = new Map();
  for (const path of parentPaths(operations)) visit(visited, path.split('/').slice(1).map(unescaped));
  return stringifyJson(sortVisited(patched, visited, (map, name) => map.get(name)));
}

/** Returns the distinct paths of the containers whose members the operations read or change. */
function parentPaths(operations: unknown): ReadonlySet<string> {
  const paths = new Set<string>();
  for (const operation of Array.isArray(operations) ? (operations as JsonValue[]) : []) {
    if (!isObject(operation)) continue;
    for (const pointer of [operation.path, operation.from]) {
      if (typeof pointer === 'string') paths.add(pointer.slice(0, Math.max(pointer.lastIndexOf('/'), 0)));
    }
  }
  return paths;
}

const unescaped = (token: string): string => token.replaceAll('~1', '/').replaceAll('~0', '~');

function visit(visited: Visited, names: readonly string[]): void {
  for (const name of names) {
    const next: Visited = visited.get(name) ?? new Map();
    visited.set(name, next);
    visited = next;
  }
}

/** Sorts the members of the objects that a patch visits; `below` returns what it visits below a name. */
function sortVisited<V>(
  value: JsonValue,
  visited: V | undefined,
  below: (visited: V, name: string) => V | undefined,
): JsonValue {
  if (visited === undefined) return value;
  if (Array.isArray(value))
    return value.map((item, i) => sortVisited(item, below(visited, String(i)), below));
  if (!isObject(value)) return value;
  const sorted: JsonObject = {};
  for (const name of Object.keys(value).sort()) {
    setOwn(sorted, name, sortVisited(value[name] as JsonValue, below(visited, name), below));
  }
  return sorted;
}
