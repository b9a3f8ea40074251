const bounds = {
  ParseInt: { syntax: /^[+-]?\d+$/, min: -(2n ** 63n), max: 2n ** 63n - 1n },
  ParseUint: { syntax: /^\d+$/, min: 0n, max: 2n ** 64n - 1n },
} as const;

/** Parses a 64-bit integer like Go's `strconv`. Throws `SyntaxError` with Go's message. */
export function parseGoInteger(text: string, as: keyof typeof bounds): bigint {
  const { syntax, min, max } = bounds[as];
  const syntaxError = (why: string) =>
    new SyntaxError(`strconv.${as}: parsing ${JSON.stringify(text)}: ${why}`);
  // Go quotes the text in the error; a text of a megabyte is cut off.
  if (!syntax.test(text)) throw syntaxError('invalid syntax');
  const value = text.length > 64 ? max + 1n : BigInt(text.replace(/^\+/, ''));
  if (value < min || value > max) throw syntaxError('value out of range');
  return value;
}
