const bounds = {
  ParseInt: { syntax: /^[+-]?\d+$/, min: -(2n ** 63n), max: 2n ** 63n - 1n },
  ParseUint: { syntax: /^\d+$/, min: 0n, max: 2n ** 64n - 1n },
} as const;

/** The 64-bit integer that a text is to Go's `strconv`. Throws `SyntaxError` with the text of its error. */
export function parseGoInteger(text: string, as: keyof typeof bounds): bigint {
  const { syntax, min, max } = bounds[as];
  const complain = (why: string) => new SyntaxError(`strconv.${as}: parsing ${JSON.stringify(text)}: ${why}`);
  // Go quotes what it cannot read; a text of a megabyte is none that anybody meant.
  if (!syntax.test(text)) throw complain('invalid syntax');
  const value = text.length > 64 ? max + 1n : BigInt(text.replace(/^\+/, ''));
  if (value < min || value > max) throw complain('value out of range');
  return value;
}
