import { FieldSet } from '../managed-fields/field-set.ts';
import type { PathElement } from '../managed-fields/field-set-element.ts';
import { isDeduced, type MergeType } from './typed-schema.ts';

/** Caches the type that a set matches: sets are read often, and schemas rarely change. */
const current = new WeakMap<FieldSet, MergeType>();

/**
 * Adapts a set to fields that became atomic in the schema: owners of parts of a leaf now own the leaf. Returns the same set
 * if it is unchanged.
 */
export function reconcileWithSchema(set: FieldSet, type: MergeType): FieldSet {
  if (current.get(set) === type) return set;
  const leaves = new FieldSet();
  collectNewLeaves(set, type, [], false, leaves);
  if (!leaves.isEmpty) return set.recursiveDifference(leaves).union(leaves);
  current.set(set, type);
  return set;
}

function collectNewLeaves(
  set: FieldSet | undefined,
  type: MergeType,
  path: readonly PathElement[],
  isLeaf: boolean,
  leaves: FieldSet,
): void {
  // Types with several forms did not distinguish them when the set was written.
  const form = type.map !== undefined ? 'map' : type.scalar !== undefined ? 'scalar' : 'list';
  if (form === 'scalar' || (type.map !== undefined && isDeduced(type.map))) return;
  const isAtomic = form === 'map' ? type.map?.atomic : type.list?.atomic;
  if (!isLeaf && isAtomic === true) {
    if (set !== undefined && !set.isEmpty) leaves.insert(path);
    return;
  }
  if (set === undefined) return;
  for (const element of new Set([...set.children.keys(), ...set.members])) {
    const below = form === 'list' ? type.list?.element : fieldType(type, element);
    const child = set.children.get(element);
    if (below !== undefined) collectNewLeaves(child, below, [...path, element], child === undefined, leaves);
  }
}

function fieldType(type: MergeType, element: PathElement): MergeType | undefined {
  const field = element.startsWith('f:') ? type.map?.fields.get(element.slice(2)) : undefined;
  return field?.type ?? type.map?.element;
}
