/**
 * The maximum number of decimals that are written. A float64 has at most 1,074 of them; more would be zeros, which no cost
 * limit counts.
 */
export const maxDecimalPrecision = 1_100;

/** Formats a number exactly with `precision` decimals, rounded half to even. */
export function fixed(value: number, precision: number): string {
  const digits = Math.min(precision, maxDecimalPrecision);
  const sign = value < 0 ? '-' : '';
  const scaled = roundedToEven(Math.abs(value), digits)
    .toString()
    .padStart(digits + 1, '0');
  const whole = scaled.slice(0, scaled.length - digits);
  return digits === 0 ? sign + whole : `${sign}${whole}.${scaled.slice(scaled.length - digits)}`;
}

/** Like `fixed`, with a comma between groups of three digits, and symbols for values that are not finite. */
export function grouped(value: number, precision: number): string {
  if (!Number.isFinite(value)) return special(value);
  const [whole, fraction] = fixed(value, precision).split('.') as [string, string?];
  const groups = groupedDigits(whole);
  return fraction === undefined ? groups : `${groups}.${fraction}`;
}

function groupedDigits(whole: string): string {
  const sign = whole.startsWith('-') ? '-' : '';
  const digits = whole.slice(sign.length);
  const groups = [digits.slice(0, digits.length % 3 || 3)];
  for (let at = groups[0]!.length; at < digits.length; at += 3) groups.push(digits.slice(at, at + 3));
  return sign + groups.join(',');
}

/** Formats a number as `1.500000×10⁰³`, padded on the left to `width`. */
export function scientific(value: number, width: number): string {
  return (Number.isFinite(value) ? power(value) : special(value)).padStart(
    Math.min(width, maxDecimalPrecision),
  );
}

const superscripts = '⁰¹²³⁴⁵⁶⁷⁸⁹';

function power(value: number): string {
  const [mantissa, exponent] = (value === 0 ? 0 : value).toExponential(6).split('e') as [string, string];
  const digits = exponent.replace(/[+-]/, '').padStart(2, '0');
  const raised = Array.from(digits, (digit) => superscripts[Number(digit)]).join('');
  return `${mantissa}×10${exponent.startsWith('-') ? '⁻' : ''}${raised}`;
}

function special(value: number): string {
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '∞' : '-∞';
}

/** Returns `value * 10 ** digits` as an integer, rounded half to even. */
function roundedToEven(value: number, digits: number): bigint {
  const { mantissa, exponent } = parts(value);
  const scaled = mantissa * 10n ** BigInt(digits);
  if (exponent >= 0n) return scaled << exponent;
  const divisor = 1n << -exponent;
  const quotient = scaled / divisor;
  const twice = (scaled % divisor) * 2n;
  const up = twice > divisor || (twice === divisor && quotient % 2n === 1n);
  return up ? quotient + 1n : quotient;
}

/** Splits a number into `mantissa * 2 ** exponent`. */
function parts(value: number): { mantissa: bigint; exponent: bigint } {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const exponent = (bits >> 52n) & 0x7ffn;
  const fraction = bits & 0xf_ffff_ffff_ffffn;
  return exponent === 0n
    ? { mantissa: fraction, exponent: -1074n }
    : { mantissa: fraction | (1n << 52n), exponent: exponent - 1075n };
}
