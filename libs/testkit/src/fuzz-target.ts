/** A parser or decoder at a border, as the fuzzer and the replay of its cases run it. */
export interface FuzzTarget {
  /** Unique, in kebab-case. `npm run fuzz -- --only` selects by it. */
  name: string;
  /** Inputs that mutations start from: valid ones, and invalid ones of interest. */
  seeds: readonly (string | Uint8Array)[];
  /** Words of the format that mutations insert, in addition to the string literals of the code that runs. */
  dictionary?: readonly string[];
  /** Length of the longest input that mutations make, in bytes; 2,048 by default. */
  maxBytes?: number;
  /** Length of the longest input of the growth check, in bytes; 65,536 by default. */
  maxGrownBytes?: number;
  /**
   * Handles one input as the border does, and returns the outcome where a peer shall give the same one. Errors that the border
   * maps to a response are part of the outcome; whatever is thrown is a finding.
   */
  run(input: Uint8Array): string | undefined | void | Promise<string | undefined | void>;
  /** The function of `fuzz/go` whose outcome must be equal. */
  go?: string;
  /** Says whether an outcome that differs from Go's is a documented deviation. */
  deviates?(outcome: string, peerOutcome: string, input: Uint8Array): boolean;
}

/** An error class whose instances the border maps to a response. */
type ExpectedError = abstract new (...args: never[]) => Error;

/**
 * Runs `parse`; returns an error of an expected class instead of throwing it. `Error` in the list means that class alone:
 * a `TypeError` is a defect.
 */
export function orError<T>(parse: () => T, expected: readonly ExpectedError[]): T | Error {
  try {
    return parse();
  } catch (error) {
    if (isExpected(error, expected)) return error;
    throw error;
  }
}

/** The same for what fails later. */
export async function orErrorLater<T>(
  parse: () => Promise<T>,
  expected: readonly ExpectedError[],
): Promise<T | Error> {
  try {
    return await parse();
  } catch (error) {
    if (isExpected(error, expected)) return error;
    throw error;
  }
}

const isExpected = (error: unknown, expected: readonly ExpectedError[]): error is Error =>
  expected.some((type) => (type === Error ? isPlainError(error) : error instanceof type));

const isPlainError = (error: unknown): boolean => error instanceof Error && error.constructor === Error;

/** The bytes as text. Invalid UTF-8 becomes U+FFFD, as where bodies are decoded. */
export const utf8Text = (input: Uint8Array): string => Buffer.from(input).toString('utf8');

/**
 * The bytes as text, if they are JSON. For borders that also read YAML, whose parser is a target by itself and a hundred times
 * slower.
 */
export function jsonText(input: Uint8Array): string | undefined {
  const text = utf8Text(input);
  try {
    JSON.parse(text);
    return text;
  } catch {
    return undefined;
  }
}

/** The bytes as text with one character for each byte, as HTTP heads are decoded. */
export const latin1Text = (input: Uint8Array): string => Buffer.from(input).toString('latin1');

/** JSON as Go's encoder writes it, which escapes two separators of lines. */
export const goJson = (value: unknown): string =>
  JSON.stringify(value).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');

/** True if both refuse a text beyond ASCII: versions of Unicode differ in what errors print as it is. */
export const bothRefuse = (ours: string, expected: string, input: Uint8Array): boolean =>
  ours.startsWith('error') && expected.startsWith('error') && input.some((byte) => byte > 0x7f);

/** True if Go was given characters that only newer versions of Unicode have, so that it does not print them as they are. */
export const hasNewerCharacter = (_: string, expected: string): boolean =>
  expected.includes('newer character');
