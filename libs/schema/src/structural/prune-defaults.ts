import {
  type JsonObject,
  type JsonValue,
  type Passes,
  deepCopyInPasses,
  deepEqualInPasses,
  DividedVisit,
  isObject,
} from '@annex/machinery';
import { compileEmbedded } from '../embedded/embedded-resources.ts';
import type { SchemaNode } from '../node.ts';
import { Pruner } from '../pruning.ts';
import { RemovedFields } from '../removed-fields.ts';

/** The path of a value in an object: property names, `*` for a map key, and 0 for a list item. */
export type ValuePath = readonly (string | 0)[];

/**
 * Prunes every default in the tree, in place: removes unknown fields, and metadata of embedded resources that cannot be
 * decoded.
 */
export function* withPrunedDefaults(root: SchemaNode): Passes<SchemaNode> {
  const defaults: [SchemaNode, ValuePath][] = [];
  collect(root, [], defaults);
  if (defaults.length === 0) return root;
  const pruner = new Pruner({ ...root, embeddedResource: true });
  const embedded = compileEmbedded(root);
  for (const [node, place] of defaults) {
    yield;
    const object = nestAt((yield* deepCopyInPasses(node.default)) as JsonValue, place);
    if (!isObject(object)) continue;
    embedded?.coerceLoosely(object);
    yield* pruner.pruneInPasses(object, new RemovedFields(), new DividedVisit());
    const pruned = at(object, place);
    if (pruned === undefined) delete node.default;
    else node.default = pruned;
  }
  return root;
}

/** Returns true if a default in the tree has unknown fields. Changes the tree. */
export function* treeHasUnprunedDefaults(root: SchemaNode): Passes<boolean> {
  const defaults: [SchemaNode, ValuePath][] = [];
  collect(root, [], defaults);
  if (defaults.length === 0) return false;
  yield;
  const before: (JsonValue | undefined)[] = [];
  for (const [node] of defaults) {
    before.push(yield* deepCopyInPasses(node.default));
    yield;
  }
  yield* withPrunedDefaults(root);
  yield;
  for (const [i, [node]] of defaults.entries()) {
    if (!(yield* deepEqualInPasses(node.default, before[i]))) return true;
    yield;
  }
  return false;
}

function collect(node: SchemaNode, place: ValuePath, into: [SchemaNode, ValuePath][]): void {
  if (node.default !== undefined) into.push([node, place]);
  const { additionalProperties } = node;
  if (additionalProperties !== undefined && additionalProperties !== true) {
    collect(additionalProperties, [...place, '*'], into);
  }
  if (node.items !== undefined) collect(node.items, [...place, 0], into);
  for (const [name, child] of node.properties ?? []) collect(child, [...place, name], into);
}

/** Returns an object that contains only the value at this path. */
export function nestAt(value: JsonValue, place: ValuePath): JsonValue {
  return place.reduceRight<JsonValue>(
    (inner, step) => (step === 0 ? [inner] : Object.fromEntries([[step, inner]])),
    value,
  );
}

function at(object: JsonObject, place: ValuePath): JsonValue | undefined {
  let value: JsonValue | undefined = object;
  for (const step of place) {
    if (step === 0) value = Array.isArray(value) ? value[0] : undefined;
    else value = isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  }
  return value;
}
