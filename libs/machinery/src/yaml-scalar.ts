import { type JsonValue } from './json-object.ts';

/** YAML that has no JSON form, such as `.inf`. */
export class ScalarError extends Error {}

const words = new Map<string, JsonValue>();
const addWords = (value: JsonValue, list: string) =>
  list.split(' ').forEach((word) => words.set(word, value));
addWords(true, 'y Y yes Yes YES true True TRUE on On ON');
addWords(false, 'n N no No NO false False FALSE off Off OFF');
addWords(null, '~ null Null NULL');
words.set('', null);

const special = /^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;
const floating = /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/;
const prefixed = /^([-+]?)0([xXbBoO])([\da-fA-F]+)$/;
const decimal = /^[-+]?\d+$/;
const octal = /^([-+]?)0([0-7]+)$/;

/**
 * Returns the value of a plain scalar by YAML 1.1 as kube-apiserver's parser reads it: `y` is true, `010` is
 * 8, dates are strings. Throws {@link ScalarError} for infinities and NaN.
 */
export function resolvePlainScalar(text: string): JsonValue {
  const word = words.get(text);
  if (word !== undefined) return word;
  const first = text.charCodeAt(0);
  // Only these characters can start a number: digits, sign, dot.
  const numeric = (first >= 0x30 && first <= 0x39) || first === 0x2b || first === 0x2d || first === 0x2e;
  return numeric ? resolveNumber(text) : text;
}

function resolveNumber(text: string): JsonValue {
  if (special.test(text)) throw new ScalarError(`json: unsupported value: ${text}`);
  const plain = text.replaceAll('_', '');
  const found = resolveInteger(plain);
  if (found !== undefined) return found;
  if (floating.test(plain)) {
    const value = Number(plain);
    if (Number.isFinite(value)) return value;
  }
  return text;
}

function resolveInteger(plain: string): JsonValue | undefined {
  const base = prefixed.exec(plain);
  if (base !== null) return fromBase(base[1] ?? '', `0${base[2] ?? ''}${base[3] ?? ''}`);
  const old = octal.exec(plain);
  if (old !== null) return fromBase(old[1] ?? '', `0o${old[2] ?? ''}`);
  if (!decimal.test(plain)) return undefined;
  // A leading zero with a digit above 7 is not an integer in base 0, but still a float.
  if (/^[-+]?0\d/.test(plain)) return Number(plain);
  return exact(BigInt(plain.replace('+', '')));
}

function fromBase(sign: string, literal: string): JsonValue | undefined {
  try {
    const value = BigInt(literal);
    // Only decimal integers beyond uint64 are read as a float.
    if (BigInt.asUintN(64, value) !== value) return undefined;
    return exact(sign === '-' ? -value : value);
  } catch {
    return undefined;
  }
}

// The parser keeps uint64 values beyond int64; they become float64 when the JSON is read.
function exact(value: bigint): JsonValue | undefined {
  const number = Number(value);
  if (Number.isSafeInteger(number)) return number;
  return BigInt.asIntN(64, value) === value ? value : number;
}
