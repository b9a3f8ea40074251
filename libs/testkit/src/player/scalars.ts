import { FAILSAFE_SCHEMA, load, Type } from 'js-yaml';

// PyYAML writes the recordings. Its plain scalars are YAML 1.1 as PyYAML implements it: `1e3` and `y` are
// strings.
const integer = /^(?:([-+]?)0b([01_]+)|([-+]?)0([0-7_]+)|[-+]?(?:0|[1-9][0-9_]*)|([-+]?)0x([\da-fA-F_]+))$/;
const floating = /^(?:[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?|[-+]?\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?)$/;
const truth = new Map([
  ...['yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'].map((word) => [word, true] as const),
  ...['no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'].map((word) => [word, false] as const),
]);
const nulls = new Set(['', '~', 'null', 'Null', 'NULL']);

/** Returns a type for plain scalars that match the expression. */
const plain = (
  name: string,
  resolve: (text: string) => boolean,
  construct: (text: string) => unknown,
): Type =>
  new Type(`tag:yaml.org,2002:${name}`, {
    kind: 'scalar',
    resolve: (text: string | null) => resolve(text ?? ''),
    construct: (text: string | null) => construct(text ?? ''),
  });
const schema = FAILSAFE_SCHEMA.extend({
  implicit: [
    plain(
      'null',
      (text) => nulls.has(text),
      () => null,
    ),
    plain(
      'bool',
      (text) => truth.has(text),
      (text) => truth.get(text),
    ),
    plain('int', (text) => integer.test(text), wholeNumber),
    plain(
      'float',
      (text) => floating.test(text),
      (text) => float(Number(text.replaceAll('_', ''))),
    ),
  ],
});

/** Parses YAML like PyYAML's safe loader. Whole floats keep their decimal point when they are sent. */
export const loadYaml = (text: string): unknown => load(text, { schema, json: true });

/** Sets an own property, including `__proto__`. */
export function define(object: object, name: string, value: unknown): void {
  // An assignment is several times faster than a definition.
  if (name !== '__proto__') (object as Record<string, unknown>)[name] = value;
  else Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
}

function wholeNumber(text: string): number | bigint {
  const found = integer.exec(text.replaceAll('_', '')) ?? [];
  const [all = '0', binarySign, binary, octalSign, octal, hexSign, hex] = found;
  const literal =
    binary !== undefined
      ? `0b${binary}`
      : octal !== undefined
        ? `0o${octal}`
        : hex !== undefined
          ? `0x${hex}`
          : undefined;
  const sign = (binarySign ?? '') + (octalSign ?? '') + (hexSign ?? '');
  const value =
    literal === undefined ? BigInt(all.replace('+', '')) : BigInt(literal) * (sign === '-' ? -1n : 1n);
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

declare global {
  interface JSON {
    /** https://tc39.es/proposal-json-parse-with-source/ */
    rawJSON(text: string): unknown;
    isRawJSON(value: unknown): boolean;
  }
}

// Returns a float that is sent with its decimal point, because servers distinguish 1.0 from 1.
function float(value: number): unknown {
  if (!Number.isInteger(value)) return value;
  return JSON.rawJSON(Math.abs(value) < 1e16 ? value.toFixed(1) : value.toExponential());
}

/** Returns the number of such a float; every other value unchanged. */
export function unwrapFloat(value: unknown): unknown {
  return typeof value === 'object' && value !== null && JSON.isRawJSON(value)
    ? Number((value as { rawJSON: string }).rawJSON)
    : value;
}

/**
 * Formats JSON like Python: with spaces after commas and colons, ASCII only. Integers of any size are exact.
 */
export function printJson(value: unknown, sorted = false): string {
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return printAscii(JSON.stringify(value) ?? 'null');
  if (JSON.isRawJSON(value)) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item) => printJson(item, sorted)).join(', ')}]`;
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  if (sorted) entries.sort(([a], [b]) => (a < b ? -1 : 1));
  const members = entries.map(
    ([key, item]) => `${printAscii(JSON.stringify(key))}: ${printJson(item, sorted)}`,
  );
  return `{${members.join(', ')}}`;
}

const printAscii = (text: string): string =>
  text.replaceAll(/[\u0080-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);

type Reviver = (key: string, value: unknown, context?: { source?: string }) => unknown;

/** Parses JSON; integers of any size are exact. Throws `SyntaxError`. */
export function readJson(text: string): unknown {
  if (!/\d{16}/.test(text)) return JSON.parse(text) as unknown;
  const revive: Reviver = (_key, value, context) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? '')
      ? BigInt(context?.source ?? 0)
      : value;
  return JSON.parse(text, revive as (key: string, value: unknown) => unknown) as unknown;
}
