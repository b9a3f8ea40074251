import { getOwn, isObject, type JsonObject, type JsonValue } from '@annex/machinery';

/** Returns these components and all that they refer to, by name; unknown components are omitted. */
export function withReferences(
  components: Readonly<Record<string, JsonObject>>,
  roots: readonly string[],
): [name: string, component: JsonObject][] {
  const used = new Map<string, JsonObject>();
  const add = (name: string): void => {
    const component = getOwn(components, name);
    if (component === undefined || used.has(name)) return;
    used.set(name, component);
    forEachReference(component, (reference) => add(reference.slice(reference.lastIndexOf('/') + 1)));
  };
  roots.forEach(add);
  return [...used].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Calls `visit` with every `$ref` of a value, but not with those of the referenced components. */
export function forEachReference(value: JsonValue, visit: (reference: string) => void): void {
  if (Array.isArray(value)) value.forEach((item) => forEachReference(item, visit));
  if (!isObject(value)) return;
  for (const [key, inside] of Object.entries(value)) {
    if (key === '$ref' && typeof inside === 'string') visit(inside);
    else forEachReference(inside, visit);
  }
}
