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
  collectNewLeaves(set, type, [], leaves);
  if (!leaves.isEmpty) return set.recursiveDifference(leaves).union(leaves);
  current.set(set, type);
  return set;
}

/** Collects the atomic fields of which a set owns parts; `path` is that of the set. A member that is no child owns its whole field. */
function collectNewLeaves(set: FieldSet, type: MergeType, path: PathElement[], leaves: FieldSet): void {
  // Types with several forms did not distinguish them when the set was written.
  const form = type.map !== undefined ? 'map' : type.scalar !== undefined ? 'scalar' : 'list';
  if (form === 'scalar' || (type.map !== undefined && isDeduced(type.map))) return;
  if (form === 'map' ? type.map?.atomic : type.list?.atomic) {
    if (!set.isEmpty) leaves.insert(path);
    return;
  }
  for (const [element, child] of set.children) {
    const below = form === 'list' ? type.list?.element : fieldType(type, element);
    if (below === undefined) continue;
    path.push(element);
    collectNewLeaves(child, below, path, leaves);
    path.pop();
  }
}

function fieldType(type: MergeType, element: PathElement): MergeType | undefined {
  const field = element.startsWith('f:') ? type.map?.fields.get(element.slice(2)) : undefined;
  return field?.type ?? type.map?.element;
}
