import type { JsonValue } from '@annex/machinery';
import type { SchemaNode } from './node.ts';

/**
 * The maximum number of unknown fields of one object that are reported; kube-apiserver has no limit for custom
 * resources. 3 MiB can hold 290,000 unknown fields, and the path of each can have hundreds of names.
 */
export const maxUnknownFields = 1000;

/** Notes a removed field. Fields beyond the limit are removed but not reported. */
export function noteRemoved(removed: string[], path: string): void {
  if (removed.length < maxUnknownFields) removed.push(path);
}

/** Visits a value in depth, and changes it in place. `removed` receives the paths of removed fields. */
export type Walk = (value: JsonValue, removed: string[]) => void;

/** Returns the walk of each node of a tree that can be cyclic, compiled on first use. Scalars are not visited. */
export function lazyWalks(
  make: (node: SchemaNode, walkOf: (node: SchemaNode) => Walk) => Walk,
): (node: SchemaNode) => Walk {
  const made = new Map<SchemaNode, Walk>();
  const walkOf = (node: SchemaNode): Walk => {
    const known = made.get(node);
    if (known !== undefined) return known;
    let walk: Walk | undefined;
    const lazy: Walk = (value, removed) => {
      if (typeof value === 'object' && value !== null) (walk ??= make(node, walkOf))(value, removed);
    };
    made.set(node, lazy);
    return lazy;
  };
  return walkOf;
}
