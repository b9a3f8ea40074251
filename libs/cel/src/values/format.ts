import { goEscapes, goQuote } from '@annex/machinery';
import { Double, Instance, MapValue, TypeValue, Uint, type Value } from './value.ts';
import { isList, isMap, elements, mapFind, mapKeys } from './container.ts';

/** Formats a number like Go's `%g`. */
export function formatDouble(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  if (value === 0) return Object.is(value, -0) ? '-0' : '0';
  const [mantissa, power] = value.toExponential().split('e') as [string, string];
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 6) return String(value);
  return `${mantissa}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

/** Formats a value for error messages. */
export function formatValue(value: Value): string {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : formatDouble(value);
  if (value instanceof Double) return formatDouble(value.value);
  if (value instanceof Uint) return String(value.value);
  if (value instanceof TypeValue) return value.of.name;
  if (value instanceof Uint8Array) return `[${value.join(' ')}]`;
  if (isList(value)) return `[${elements(value).map(formatValue).join(', ')}]`;
  if (value instanceof MapValue || (isMap(value) && !(value instanceof Instance)))
    return `{${[...mapKeys(value)].map((key) => `${formatValue(key)}: ${formatValue(mapFind(value, key)!)}`).join(', ')}}`;
  return String(value);
}

/** Quotes a string and escapes only special characters. */
export function quoteText(text: string): string {
  const escaped = Array.from(text.toWellFormed(), (c) => goEscapes.get(c) ?? c);
  return `"${escaped.join('')}"`;
}

/** Quotes a string like Go's `%q`, which also escapes characters that are not printable. */
export const quotePrintable = (text: string): string => goQuote(text.toWellFormed());
