import { isObject, type JsonObject, type JsonValue } from '@annex/machinery';
import { goTypeOfNode } from './go-decoding.ts';
import { base64Error } from './go-text.ts';
import type { SchemaNode } from '../node.ts';

/**
 * Returns the error if kube-apiserver's converter of unstructured objects cannot convert a value to the Go type of a
 * built-in kind. That converter reads the result of a strategic merge patch. Its messages differ from those of the JSON
 * decoder, and it stops at the first error, in the order of the members. `decode` decodes the types that unmarshal JSON themselves (times, quantities).
 */
export function goConversionError(
  root: SchemaNode,
  object: JsonObject,
  decode: (node: SchemaNode, value: JsonValue) => string | undefined,
): string | undefined {
  const visit = (node: SchemaNode, value: JsonValue): string | undefined => {
    if (value === null) return undefined;
    if (readsJson(node)) return decode(node, value);
    const { properties, additionalProperties, items } = node;
    if (properties !== undefined) {
      if (!isObject(value)) return `cannot restore struct from: ${goKind(value)}`;
      return firstOfMembers(value, (name) => {
        const child = properties.get(name);
        // permitted: no-inherited-keys, it is one of its own names
        return child && visit(child, value[name] as JsonValue);
      });
    }
    if (additionalProperties !== undefined && additionalProperties !== true) {
      if (!isObject(value)) return `cannot restore map from ${goKind(value)}`;
      // permitted: no-inherited-keys, it is one of its own names
      return firstOfMembers(value, (name) => visit(additionalProperties, value[name] as JsonValue));
    }
    if (items === undefined) return scalarError(node, value);
    if (!Array.isArray(value)) return `cannot restore slice from ${goKind(value)}`;
    return firstOfItems(value, (item) => visit(items, item));
  };
  return visit(root, object);
}

/** V8 takes several times as long to list members with their values. */
function firstOfMembers(object: JsonObject, error: (name: string) => string | undefined): string | undefined {
  for (const name in object) {
    const found = error(name);
    if (found !== undefined) return found;
  }
  return undefined;
}

function firstOfItems(
  items: readonly JsonValue[],
  error: (item: JsonValue) => string | undefined,
): string | undefined {
  for (const item of items) {
    const found = error(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

const jsonReaders = new Set(['v1.Time', 'v1.MicroTime', 'resource.Quantity', 'intstr.IntOrString']);

const readsJson = ({ goType, decodesAs }: SchemaNode): boolean =>
  decodesAs !== undefined || (goType !== undefined && jsonReaders.has(goType));

/** Returns the Go kind of a decoded JSON value. */
function goKind(value: JsonValue): string {
  if (Array.isArray(value)) return 'slice';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  const kinds: Partial<Record<string, string>> = { bigint: 'int64', boolean: 'bool', object: 'map' };
  return kinds[typeof value] ?? 'string';
}

/** The Go kinds that the converter converts to a type, and those that it rejects although `ConvertibleTo` returns true. */
const convertible: Readonly<Record<string, { accepted: readonly string[]; rejected: readonly string[] }>> = {
  string: { accepted: ['string'], rejected: ['int64'] },
  boolean: { accepted: ['bool'], rejected: [] },
  integer: { accepted: ['int64'], rejected: ['float64'] },
  number: { accepted: ['int64', 'float64'], rejected: [] },
};

const kindOf: Readonly<Record<string, string>> = { string: 'string', boolean: 'bool', number: 'float64' };

function scalarError(node: SchemaNode, value: JsonValue): string | undefined {
  const rule = convertible[node.type ?? ''];
  if (rule === undefined) return undefined;
  const from = goKind(value);
  if (node.format === 'byte' && node.type === 'string') return bytesError(value, from);
  if (rule.accepted.includes(from)) return undefined;
  const to = goTypeOfNode(node);
  return rule.rejected.includes(from)
    ? `cannot convert ${from} to ${to}`
    : `unrecognized type: ${kindOf[node.type ?? ''] ?? to}`;
}

function bytesError(value: JsonValue, from: string): string | undefined {
  if (typeof value !== 'string') return `cannot restore slice from ${from}`;
  const error = base64Error(value);
  return error && `error decoding from json: ${error}`;
}
