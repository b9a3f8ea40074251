import { formatTime, type JsonValue, parseTime, Quantity, tableOf } from '@annex/machinery';
import type { SchemaNode } from '../node.ts';

/** Converts a decodable value to the form in which Go encodes it; null is a value of a map or a list. */
export type Normalize = (value: JsonValue) => JsonValue;

const byGoType = tableOf<Normalize>({
  'resource.Quantity': (value) => {
    if (value === null) return '0';
    try {
      return Quantity.parse(String(value).trim()).toString();
    } catch {
      return value;
    }
  },
  'v1.Time': (value) => (isWholeSecondInUTC(value) ? value : inUTC(value, '')),
  'v1.MicroTime': (value) => {
    const fraction = /[.,](\d+)/.exec(String(value))?.[1] ?? '';
    return inUTC(value, `.${fraction.padEnd(6, '0').slice(0, 6)}`);
  },
});

/** For decodable values only: no other form of a time has this length. */
const isWholeSecondInUTC = (value: JsonValue): boolean =>
  typeof value === 'string' && value.length === 20 && value.endsWith('Z');

function inUTC(value: JsonValue, fraction: string): JsonValue {
  const time = typeof value === 'string' ? parseTime(value) : undefined;
  return time === undefined ? value : `${formatTime(time).slice(0, -1)}${fraction}Z`;
}

/** Returns the normalization of a node's values, for quantities and times. */
export function normalFormOf(node: SchemaNode): Normalize | undefined {
  return node.goType === undefined ? undefined : byGoType.get(node.goType);
}
