import { elements, isList, isMap, mapFind, mapKeys } from '../values/container.ts';
import { EntryMap } from '../values/map.ts';
import { runtimeType } from '../values/kind.ts';
import { parseDuration, parseTimestamp } from '../values/time.ts';
import { opaqueType } from '../typing/type.ts';
import { double, TypeValue, Uint, type Value } from '../values/value.ts';
import { formatValue, quotePrintable } from '../values/format.ts';
import { narrow } from '../values/int.ts';

/** A value in the conformance data: protobuf's `cel.expr.Value` in JSON. */
export interface SpecValue {
  readonly [kind: string]: unknown;
}

interface Container {
  readonly values?: readonly SpecValue[];
  readonly entries?: readonly { readonly key: SpecValue; readonly value: SpecValue }[];
}

/** Converts a value of the data; undefined if it needs a protobuf message. */
export function valueOf(spec: SpecValue): Value | undefined {
  const [kind, value] = Object.entries(spec)[0]!;
  switch (kind) {
    case 'nullValue':
      return null;
    case 'boolValue':
    case 'stringValue':
      return value as boolean | string;
    case 'int64Value':
      return narrow(BigInt(value as string));
    case 'uint64Value':
      return new Uint(narrow(BigInt(value as string)));
    case 'doubleValue':
      return double(Number(value));
    case 'bytesValue':
      return Uint8Array.from(atob(value as string), (c) => c.charCodeAt(0));
    case 'listValue':
      return allOf(((value as Container).values ?? []).map(valueOf));
    case 'mapValue':
      return mapOf(value as Container);
    case 'typeValue':
      return new TypeValue(opaqueType(value as string));
    default:
      return objectOf(value as SpecValue);
  }
}

function allOf(values: readonly (Value | undefined)[]): readonly Value[] | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === values.length ? known : undefined;
}

function mapOf({ entries = [] }: Container): Value | undefined {
  const keys = allOf(entries.map(({ key }) => valueOf(key)));
  const values = allOf(entries.map(({ value }) => valueOf(value)));
  return keys && values && new EntryMap(keys.map((key, i) => [key, values[i]!]));
}

function objectOf(value: SpecValue): Value | undefined {
  const type = String(value['@type']);
  if (type.endsWith('google.protobuf.Timestamp')) return parseTimestamp(String(value['value']));
  return type.endsWith('google.protobuf.Duration') ? parseDuration(String(value['value'])) : undefined;
}

/** Returns a notation with types, which is equal for equal values. */
export function notation(value: Value): string {
  if (value instanceof TypeValue) return `type(${value.of.name})`;
  if (isList(value)) return `[${elements(value).map(notation).join(', ')}]`;
  if (typeof value === 'string') return quotePrintable(value);
  if (!isMap(value)) return `${runtimeType(value).name}(${formatValue(value)})`;
  const entries = Array.from(mapKeys(value), (key) => `${notation(key)}: ${notation(mapFind(value, key)!)}`);
  return `{${entries.sort().join(', ')}}`;
}
