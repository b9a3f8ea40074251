/** The notation of a quantity: `12e6`, `12Mi` or `12M`. */
export type QuantityFormat = 'DecimalExponent' | 'BinarySI' | 'DecimalSI';

/** An invalid quantity; the message is kube-apiserver's. */
export class QuantityError extends Error {}

const decimalSuffixes = new Map([
  ['n', -9],
  ['u', -6],
  ['m', -3],
  ['', 0],
  ['k', 3],
  ['M', 6],
  ['G', 9],
  ['T', 12],
  ['P', 15],
  ['E', 18],
]);
const binarySuffixes = new Map([
  ['Ki', 10],
  ['Mi', 20],
  ['Gi', 30],
  ['Ti', 40],
  ['Pi', 50],
  ['Ei', 60],
]);

// A suffix does not start with a digit, so that the match is unambiguous.
const shape = /^([+-]?)(\d*)(?:\.(\d*))?((?:[eEinumkKMGTP]+[-+]?|[-+])\d*)?$/;
const formatError =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const maxInt64 = (1n << 63n) - 1n;
const nano = -9;
// A larger power of ten in the suffix is refused: it would only cost memory.
export const maxQuantityExponent = 1000;
/**
 * Characters of a quantity. kube-apiserver has no limit; reading and adding digits takes quadratic time,
 * which this limit keeps within microseconds.
 */
export const maxQuantityLength = 1000;

/** An exact number with suffixes: `mantissa * 10^exponent`. Immutable; `add` and `sub` return new ones. */
export class Quantity {
  readonly format: QuantityFormat;
  private readonly mantissa: bigint;
  private readonly exponent: number;
  /** False if apimachinery would have switched from int64 to arbitrary precision. */
  private readonly small: boolean;
  private text: string | undefined;

  private constructor(
    mantissa: bigint,
    exponent: number,
    format: QuantityFormat,
    small: boolean,
    text?: string,
  ) {
    this.mantissa = mantissa;
    this.exponent = exponent;
    this.format = format;
    this.small = small;
    this.text = text;
  }

  /** Parses a quantity. Throws {@link QuantityError}. */
  static parse(text: string): Quantity {
    if (text.length > maxQuantityLength) throw new QuantityError('unable to parse numeric part of quantity');
    const parts = text === '' ? null : shape.exec(text);
    if (parts === null) throw new QuantityError(formatError);
    const [, sign = '', digits = '', fraction = '', suffix = ''] = parts;
    const number = digits.replace(/^0+/, '') || '0';
    const { format, base, exponent } = interpretSuffix(suffix);
    const shifted = BigInt(number + fraction) * (sign === '-' ? -1n : 1n);
    const precision = parsePrecision(format, exponent, number, fraction);
    const scale = (base === 10 ? exponent : 0) - fraction.length;
    if (precision >= 0 && scale >= nano) {
      const value = shifted * (base === 2 ? 1n << BigInt(exponent) : 1n);
      if (abs(value) <= maxInt64) {
        const isCanonical = keepsText(format, exponent, scale, number + fraction, shifted);
        return new Quantity(value, scale, format, true, isCanonical ? text : undefined);
      }
    }
    return Quantity.big(shifted * (base === 2 ? 1n << BigInt(exponent) : 1n), scale, format);
  }

  // Rounds away from zero to nano and caps binary quantities, as apimachinery does.
  private static big(mantissa: bigint, exponent: number, format: QuantityFormat): Quantity {
    let value = mantissa;
    let scale = exponent;
    if (scale < nano) {
      const divisor = 10n ** BigInt(nano - scale);
      const rest = value % divisor;
      value = value / divisor + (rest === 0n ? 0n : value < 0n ? -1n : 1n);
      scale = nano;
    }
    if (format !== 'BinarySI') return new Quantity(value, scale, format, false);
    if (compareScaled(abs(value), scale, maxInt64, 0) > 0) {
      return new Quantity(value < 0n ? -maxInt64 : maxInt64, 0, format, false);
    }
    const fractional = value !== 0n && compareScaled(abs(value), scale, 1n, 0) < 0;
    return new Quantity(value, scale, fractional ? 'DecimalSI' : format, false);
  }

  /** Creates a quantity of an integer. */
  static of(value: bigint | number, format: QuantityFormat = 'DecimalSI'): Quantity {
    return new Quantity(BigInt(value), 0, format, true);
  }

  /** -1, 0 or 1. */
  get sign(): number {
    return this.mantissa === 0n ? 0 : this.mantissa < 0n ? -1 : 1;
  }

  /** Negative if this is less than the other, 0 if they are equal, otherwise positive. */
  compare(other: Quantity): number {
    return compareScaled(this.mantissa, this.exponent, other.mantissa, other.exponent);
  }

  add(other: Quantity): Quantity {
    const scale = Math.min(this.exponent, other.exponent);
    const sum = scaleTo(this, scale) + scaleTo(other, scale);
    const small = this.small && other.small && abs(sum) <= maxInt64;
    return new Quantity(sum, scale, this.sign === 0 ? other.format : this.format, small);
  }

  sub(other: Quantity): Quantity {
    return this.add(new Quantity(-other.mantissa, other.exponent, other.format, other.small));
  }

  /** Returns the value as an int64 if apimachinery's AsInt64 has one: `1k` has one, `1000m` does not. */
  asInt64(): bigint | undefined {
    if (!this.small || this.exponent < 0) return undefined;
    const value = this.mantissa * 10n ** BigInt(this.exponent);
    return abs(value) <= maxInt64 ? value : undefined;
  }

  /** Returns the value rounded away from zero to an integer, capped to int64. */
  value(): bigint {
    return this.scaledValue(0);
  }

  /** Returns the value in units of `10^exponent`, rounded away from zero, capped to int64. */
  scaledValue(exponent: number): bigint {
    const shift = this.exponent - exponent;
    if (shift >= 0) return clamp(this.mantissa * 10n ** BigInt(shift));
    const divisor = 10n ** BigInt(-shift);
    const rest = this.mantissa % divisor;
    return clamp(this.mantissa / divisor + (rest === 0n ? 0n : rest < 0n ? -1n : 1n));
  }

  /** Returns the nearest float64. */
  toNumber(): number {
    return Number(`${this.mantissa}e${this.exponent}`);
  }

  /**
   * Returns the canonical form: `1500m`, `2Ki`, `12e6`. A text that apimachinery treats as canonical is kept.
   */
  toString(): string {
    return (this.text ??= this.canonical());
  }

  private canonical(): string {
    if (this.mantissa === 0n) return '0';
    const binary = this.format === 'BinarySI' ? this.binaryForm() : undefined;
    if (binary !== undefined) return binary;
    let value = this.mantissa;
    let exponent = this.exponent;
    while (value % 10n === 0n) {
      value /= 10n;
      exponent++;
    }
    const down = ((exponent % 3) + 3) % 3;
    value *= 10n ** BigInt(down);
    exponent -= down;
    if (this.format === 'DecimalExponent') return exponent === 0 ? `${value}` : `${value}e${exponent}`;
    if (exponent > 18) {
      value *= 10n ** BigInt(exponent - 18);
      exponent = 18;
    }
    const suffix = [...decimalSuffixes].find(([, power]) => power === exponent)?.[0] ?? '';
    return `${value}${suffix}`;
  }

  // Formats integers from 1024 on in the largest unit that divides them.
  private binaryForm(): string | undefined {
    if (compareScaled(abs(this.mantissa), this.exponent, 1024n, 0) < 0) return undefined;
    let value = this.mantissa;
    if (this.exponent < 0) {
      const divisor = 10n ** BigInt(-this.exponent);
      if (value % divisor !== 0n) return undefined;
      value /= divisor;
    } else value *= 10n ** BigInt(this.exponent);
    let power = 0;
    while (value % 1024n === 0n && power < 60) {
      value /= 1024n;
      power += 10;
    }
    const suffix = [...binarySuffixes].find(([, exponent]) => exponent === power)?.[0] ?? '';
    return `${value}${suffix}`;
  }
}

/** Validates a quantity with kube-apiserver's messages; empty if it is valid. */
export function validateQuantity(text: string): string[] {
  try {
    Quantity.parse(text);
    return [];
  } catch (error) {
    if (error instanceof QuantityError) return [error.message];
    throw error;
  }
}

function interpretSuffix(suffix: string): { format: QuantityFormat; base: 2 | 10; exponent: number } {
  const decimal = decimalSuffixes.get(suffix);
  if (decimal !== undefined) return { format: 'DecimalSI', base: 10, exponent: decimal };
  const binary = binarySuffixes.get(suffix);
  if (binary !== undefined) return { format: 'BinarySI', base: 2, exponent: binary };
  const power = /^[eE]([-+]?\d+)$/.exec(suffix)?.[1];
  if (power === undefined || Math.abs(Number(power)) > maxQuantityExponent) {
    throw new QuantityError("unable to parse quantity's suffix");
  }
  return { format: 'DecimalExponent', base: 10, exponent: Number(power) };
}

// Returns the digits that fit into an int64 with the suffix; negative if arbitrary precision is needed.
function parsePrecision(format: QuantityFormat, exponent: number, digits: string, fraction: string): number {
  if (format !== 'BinarySI') return 18 - digits.length - fraction.length;
  return fraction === '' ? 15 - digits.length - Math.trunc((exponent * 3) / 10) - 1 : -1;
}

// apimachinery keeps a text that it treats as canonical: `1025Ki`, `1.500`, `+5`.
function keepsText(
  format: QuantityFormat,
  exponent: number,
  scale: number,
  digits: string,
  shifted: bigint,
): boolean {
  if (format === 'BinarySI') return exponent % 10 === 0 && (abs(shifted) & 7n) !== 0n;
  return scale % 3 === 0 && !digits.endsWith('000') && !digits.startsWith('0');
}

const abs = (value: bigint) => (value < 0n ? -value : value);
const clamp = (value: bigint) =>
  value > maxInt64 ? maxInt64 : value < -maxInt64 - 1n ? -maxInt64 - 1n : value;

function scaleTo(quantity: { mantissa: bigint; exponent: number } | Quantity, scale: number): bigint {
  const { mantissa, exponent } = quantity as unknown as { mantissa: bigint; exponent: number };
  return mantissa * 10n ** BigInt(exponent - scale);
}

function compareScaled(a: bigint, aScale: number, b: bigint, bScale: number): number {
  const scale = Math.min(aScale, bScale);
  const left = a * 10n ** BigInt(aScale - scale);
  const right = b * 10n ** BigInt(bScale - scale);
  return left === right ? 0 : left < right ? -1 : 1;
}
