import { type JsonObject, type JsonValue, isObject } from '@annex/machinery';
import { lazyWalks, noteRemoved, type Walk } from './lazy-walks.ts';
import type { SchemaNode } from './node.ts';

/** The fields of every resource, independent of its schema. */
export const typeAndMetadata: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

/** Compiles the removal of unknown fields; supports cyclic nodes. Paths begin with `.name` or `[index]`. */
export const compilePruner = (root: SchemaNode): Walk => lazyWalks(makePruner)(root);

function makePruner(node: SchemaNode, prunerOf: (node: SchemaNode) => Walk): Walk {
  const properties = new Map([...(node.properties ?? [])].map(([name, child]) => [name, prunerOf(child)]));
  const additional = additionalPruner(node, prunerOf);
  const items = itemPruner(node, prunerOf);
  const preserve = node.preserveUnknownFields === true;
  const embedded = node.embeddedResource === true;
  return (value, removed) => {
    if (Array.isArray(value)) {
      if (items !== undefined) pruneItems(value, items, removed);
      return;
    }
    if (!isObject(value)) return;
    for (const name in value) {
      if (embedded && typeAndMetadata.has(name)) continue;
      const child = properties.get(name) ?? additional;
      if (child !== undefined) {
        const before = removed.length;
        child(value[name] as JsonValue, removed);
        if (removed.length > before) prefix(removed, before, `.${name}`);
      } else if (!preserve) {
        noteRemoved(removed, `.${name}`);
        delete value[name];
      }
    }
  };
}

function additionalPruner(node: SchemaNode, prunerOf: (node: SchemaNode) => Walk): Walk | undefined {
  if (node.additionalProperties === undefined) return undefined;
  return node.additionalProperties === true ? pruneAll : prunerOf(node.additionalProperties);
}

// Within preserved lists, items of a known schema are preserved too.
function itemPruner(node: SchemaNode, prunerOf: (node: SchemaNode) => Walk): Walk | undefined {
  if (node.items === undefined) return node.preserveUnknownFields === true ? undefined : pruneAll;
  if (node.preserveUnknownFields !== true || node.items.preserveUnknownFields === true)
    return prunerOf(node.items);
  return prunerOf({ ...node.items, preserveUnknownFields: true });
}

function pruneItems(items: JsonValue[], pruner: Walk, removed: string[]): void {
  for (let i = 0; i < items.length; i++) {
    const before = removed.length;
    pruner(items[i] as JsonValue, removed);
    if (removed.length > before) prefix(removed, before, `[${i}]`);
  }
}

function prefix(paths: string[], from: number, head: string): void {
  for (let i = from; i < paths.length; i++) paths[i] = head + (paths[i] as string);
}

// Without a schema, every field of every object is unknown. A loop, because the nesting of lists is unlimited.
function pruneAll(value: JsonValue, removed: string[]): void {
  const todo: [JsonValue, string][] = [[value, '']];
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    const [current, path] = next;
    if (Array.isArray(current)) current.forEach((item, i) => todo.push([item, `${path}[${i}]`]));
    else if (isObject(current)) removeFields(current, path, removed);
  }
}

function removeFields(value: JsonObject, path: string, removed: string[]): void {
  for (const name of Object.keys(value)) {
    noteRemoved(removed, `${path}.${name}`);
    delete value[name];
  }
}

/** Converts the paths of {@link Walk} to sorted paths from the root, as kube-apiserver reports them. */
export function fieldPaths(removed: readonly string[]): string[] {
  return removed.map((path) => (path.startsWith('.') ? path.slice(1) : path)).sort();
}
