import { type JsonValue, isObject } from '@annex/machinery';
import type { SchemaNode } from './node.ts';

/** Changes a value in place. */
export type NullRemoval = (value: JsonValue) => void;

/** Compiles the removal of null fields that are not nullable and have no default. `undefined` if there are none. */
export function compileNullRemoval(node: SchemaNode): NullRemoval | undefined {
  const properties = mapChildren(node, compileNullRemoval);
  const additional = node.additionalProperties === true ? undefined : node.additionalProperties;
  const ofAdditional = additional && compileNullRemoval(additional);
  const ofItems = node.items && compileNullRemoval(node.items);
  const dropsAdditional = additional !== undefined && isNullDropped(additional);
  const dropped = new Set(
    [...(node.properties ?? [])].filter(([, c]) => isNullDropped(c)).map(([name]) => name),
  );
  if (properties.size === 0 && dropped.size === 0 && !dropsAdditional && !ofAdditional && !ofItems)
    return undefined;
  return (value) => {
    if (Array.isArray(value)) {
      if (ofItems) for (const item of value) ofItems(item);
    } else if (isObject(value)) {
      for (const name in value) {
        const known = node.properties?.has(name) === true;
        if (value[name] === null) {
          if (known ? dropped.has(name) : dropsAdditional) delete value[name];
        } else {
          (known ? properties.get(name) : ofAdditional)?.(value[name] as JsonValue);
        }
      }
    }
  };
}

/** Returns true if a null field is removed: it is not nullable and has no default. */
export const isNullDropped = (node: SchemaNode): boolean => !node.nullable && node.default === undefined;

function mapChildren<T>(node: SchemaNode, make: (child: SchemaNode) => T | undefined): Map<string, T> {
  const children = new Map<string, T>();
  for (const [name, child] of node.properties ?? []) {
    const made = make(child);
    if (made !== undefined) children.set(name, made);
  }
  return children;
}
