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

/** Visits a value in depth, and changes it in place. The context of a pruner receives the paths of removed fields. */
export type Walk<C = string[]> = (value: JsonValue, context: C) => void;

/** Returns the walk of each node of a tree that can be cyclic, compiled on first use. Scalars are not visited. */
export function lazyWalks<C = string[]>(
  make: (node: SchemaNode, walkOf: (node: SchemaNode) => Walk<C>) => Walk<C>,
): (node: SchemaNode) => Walk<C> {
  const made = new Map<SchemaNode, Walk<C>>();
  const walkOf = (node: SchemaNode): Walk<C> => {
    const known = made.get(node);
    if (known !== undefined) return known;
    let walk: Walk<C> | undefined;
    const lazy: Walk<C> = (value, context) => {
      if (typeof value === 'object' && value !== null) (walk ??= make(node, walkOf))(value, context);
    };
    made.set(node, lazy);
    return lazy;
  };
  return walkOf;
}
