import { type JsonObject, type JsonValue, deepCopy, getOwn, isObject, setOwn } from '@annex/machinery';
import type { SchemaNode } from './node.ts';

/** Changes a value in place. */
export type Change = (value: JsonValue) => void;

/** Compiles defaulting: absent fields, and nulls that may not be null, become copies of their defaults. `undefined` where the schema has none. */
export function compileDefaults(node: SchemaNode): Change | undefined {
  const properties = mapChildren(node, compileDefaults);
  const defaults = [...(node.properties ?? [])].filter(([, child]) => child.default !== undefined);
  const additional = node.additionalProperties === true ? undefined : node.additionalProperties;
  const ofAdditional = additional && compileDefaults(additional);
  const ofItems = node.items && compileDefaults(node.items);
  const replaceNulls = [additional, node.items].some(
    (child) => child?.default !== undefined && !child.nullable,
  );
  const idle = properties.size === 0 && defaults.length === 0 && !ofAdditional && !ofItems && !replaceNulls;
  if (idle) return undefined;
  return (value) => {
    if (Array.isArray(value)) {
      for (let i = 0; i < value.length; i++) {
        if (value[i] === null) value[i] = replacementOfNull(node.items);
        ofItems?.(value[i] as JsonValue);
      }
    } else if (isObject(value)) {
      setDefaults(value, defaults);
      for (const name in value) {
        if (node.properties?.has(name)) {
          properties.get(name)?.(value[name] as JsonValue);
        } else if (additional !== undefined) {
          if (value[name] === null) setOwn(value, name, replacementOfNull(additional));
          ofAdditional?.(value[name] as JsonValue);
        }
      }
    }
  };
}

function setDefaults(value: JsonObject, defaults: readonly [string, SchemaNode][]): void {
  for (const [name, child] of defaults) {
    const present = getOwn(value, name);
    if (present === undefined || (present === null && !child.nullable)) {
      setOwn(value, name, deepCopy(child.default));
    }
  }
}

function replacementOfNull(node: SchemaNode | undefined): JsonValue {
  return node === undefined || node.nullable || node.default === undefined ? null : deepCopy(node.default);
}

/** Compiles the removal of null fields that may neither be null nor have a default. `undefined` where there can be none. */
export function compileNullRemoval(node: SchemaNode): Change | undefined {
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

/** True where a null field is removed: it may not be null, and no default takes its place. */
export const isNullDropped = (node: SchemaNode): boolean => !node.nullable && node.default === undefined;

function mapChildren<T>(node: SchemaNode, make: (child: SchemaNode) => T | undefined): Map<string, T> {
  const children = new Map<string, T>();
  for (const [name, child] of node.properties ?? []) {
    const made = make(child);
    if (made !== undefined) children.set(name, made);
  }
  return children;
}
