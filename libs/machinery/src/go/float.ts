/** Formats a float64 like Go's `%v`: `0.5`, `1e+06`, `1e-05`. */
export function printFloat(value: number): string {
  const [mantissa = '', exponentText = '0'] = value.toExponential().split('e');
  const exponent = Number(exponentText);
  if (exponent >= -4 && exponent < 6) return plainFloat(value);
  return `${mantissa}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

const plainFloat = (value: number): string => (Object.is(value, -0) ? '-0' : String(value));
