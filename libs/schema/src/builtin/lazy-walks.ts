import type { JsonValue } from '@annex/machinery';
import type { SchemaNode } from '../node.ts';

/** Visits a value in depth, and changes it in place. */
export type Walk<C> = (value: JsonValue, context: C) => void;

/** Returns the walk of each node of a tree that can be cyclic, compiled on first use. Scalars are not visited. */
export function lazyWalks<C>(
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
