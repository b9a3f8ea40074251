import { getOwn, isObject, type JsonObject, type JsonValue } from '@annex/machinery';
import { goTypeOf } from './go-decoding.ts';
import { base64Error } from './go-text.ts';
import type { SchemaNode } from '../node.ts';

/**
 * Why kube's converter of unstructured objects, which reads what a strategic merge patch made, cannot read a value as the
 * Go type of a built-in kind; `undefined` where it can. Its words are others than those of the JSON decoder, and it stops
 * at the first trouble. `decode` is the decoder of types that read JSON themselves (times, quantities).
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
      return first(properties, ([name, child]) => visit(child, getOwn(value, name) ?? null));
    }
    if (additionalProperties !== undefined && additionalProperties !== true) {
      if (!isObject(value)) return `cannot restore map from ${goKind(value)}`;
      return first(Object.values(value), (item) => visit(additionalProperties, item));
    }
    if (items === undefined) return scalarError(node, value);
    if (!Array.isArray(value)) return `cannot restore slice from ${goKind(value)}`;
    return first(value, (item) => visit(items, item));
  };
  return visit(root, object);
}

function first<T>(items: Iterable<T>, error: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = error(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

const jsonReaders = new Set(['v1.Time', 'v1.MicroTime', 'resource.Quantity', 'intstr.IntOrString']);

const readsJson = ({ goType, decodesAs }: SchemaNode): boolean =>
  decodesAs !== undefined || (goType !== undefined && jsonReaders.has(goType));

/** The kind of a Go value that JSON was decoded to. */
function goKind(value: JsonValue): string {
  if (Array.isArray(value)) return 'slice';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  const kinds: Partial<Record<string, string>> = { bigint: 'int64', boolean: 'bool', object: 'map' };
  return kinds[typeof value] ?? 'string';
}

/** From which kinds Go's `ConvertibleTo` sees a way to a kind, and which of them the converter takes. */
const convertible: Readonly<Record<string, { takes: readonly string[]; refuses: readonly string[] }>> = {
  string: { takes: ['string'], refuses: ['int64'] },
  boolean: { takes: ['bool'], refuses: [] },
  integer: { takes: ['int64'], refuses: ['float64'] },
  number: { takes: ['int64', 'float64'], refuses: [] },
};

const kindOf: Readonly<Record<string, string>> = { string: 'string', boolean: 'bool', number: 'float64' };

function scalarError(node: SchemaNode, value: JsonValue): string | undefined {
  const rule = convertible[node.type ?? ''];
  if (rule === undefined) return undefined;
  const from = goKind(value);
  if (node.format === 'byte' && node.type === 'string') return bytesError(value, from);
  if (rule.takes.includes(from)) return undefined;
  const to = goTypeOf(node);
  return rule.refuses.includes(from)
    ? `cannot convert ${from} to ${to}`
    : `unrecognized type: ${kindOf[node.type ?? ''] ?? to}`;
}

function bytesError(value: JsonValue, from: string): string | undefined {
  if (typeof value !== 'string') return `cannot restore slice from ${from}`;
  const error = base64Error(value);
  return error && `error decoding from json: ${error}`;
}
