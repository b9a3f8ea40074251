/** A binary format of records that have a length, and where they begin. */
export interface RecordFormat {
  format: 'der' | 'protobuf' | 'http2';
  /** Bytes before the first record. */
  skip?: number;
}

/** A parser or decoder of untrusted input, for the fuzzer and the replay of its cases. */
export interface FuzzTarget {
  /** Unique, in kebab-case. `npm run fuzz -- --only` selects by it. */
  name: string;
  /** Inputs that mutations start from: valid ones, and invalid ones of interest. */
  seeds: readonly (string | Uint8Array)[];
  /** Words of the format that mutations insert, in addition to the string literals of the code that runs. */
  dictionary?: readonly string[];
  /** Length of the longest input that mutations make, in bytes; 2,048 by default. */
  maxBytes?: number;
  /** Set if inputs consist of records: mutations then keep the lengths of most of them right. */
  records?: RecordFormat;
  /** Length of the longest input of the growth check, in bytes; 65,536 by default. */
  maxGrownBytes?: number;
  /**
   * Handles one input as the server does. Returns the outcome if a peer must have the same outcome. Errors
   * that the server maps to a response are part of the outcome; everything that is thrown is a finding.
   */
  run(input: Uint8Array): string | undefined | void | Promise<string | undefined | void>;
  /** The function of `fuzz/go` whose outcome must be equal. */
  go?: string;
  /** Returns whether an outcome that differs from Go's is a documented deviation. */
  deviates?(outcome: string, peerOutcome: string, input: Uint8Array): boolean;
}

/** An error class that the server maps to a response. */
type ExpectedError = abstract new (...args: never[]) => Error;

/**
 * Runs `parse`; returns an error of an expected class instead of throwing it. `Error` in the list means only
 * that class: a `TypeError` is a defect.
 */
export function orError<T>(parse: () => T, expected: readonly ExpectedError[]): T | Error {
  try {
    return parse();
  } catch (error) {
    if (isExpected(error, expected)) return error;
    throw error;
  }
}

/** The same for an asynchronous function. */
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

/** Decodes the bytes as text. Invalid UTF-8 becomes U+FFFD, as in request bodies. */
export const utf8Text = (input: Uint8Array): string => Buffer.from(input).toString('utf8');

/**
 * Decodes the bytes as text, if they are a JSON object. For input that can also be YAML: its parser is a separate
 * target and a hundred times slower. So duplicate keys and numbers beyond float64, which that parser reads, are
 * replaced.
 */
export function jsonText(input: Uint8Array): string | undefined {
  const text = utf8Text(input);
  if (!/^\s*\{/.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    const isPlain = countKeysInText(text) === countKeys(value) && !/\d[eE]\+?\d{3}/.test(text);
    return isPlain ? text : JSON.stringify(value);
  } catch {
    return undefined;
  }
}

/** Counts the strings that a colon follows. */
function countKeysInText(json: string): number {
  let keys = 0;
  for (const [, colon] of json.matchAll(/"(?:[^"\\]|\\.)*"\s*(:?)/g)) if (colon === ':') keys++;
  return keys;
}

function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const own = Array.isArray(value) ? 0 : Object.keys(value).length;
  return Object.values(value).reduce((sum: number, member) => sum + countKeys(member), own);
}

/** Decodes the bytes as text with one character per byte, as in HTTP heads. */
export const latin1Text = (input: Uint8Array): string => Buffer.from(input).toString('latin1');

/** Encodes JSON as Go does, which escapes two line separators. */
export const goJson = (value: unknown): string =>
  JSON.stringify(value).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');

/**
 * Returns whether both refuse a text beyond ASCII: the versions of Unicode differ in the characters that
 * errors print unescaped.
 */
export const bothRefuse = (ours: string, expected: string, input: Uint8Array): boolean =>
  ours.startsWith('error') && expected.startsWith('error') && input.some((byte) => byte > 0x7f);

/** Returns whether Go received characters of a newer Unicode version, which it escapes. */
export const hasNewerCharacter = (_: string, expected: string): boolean =>
  expected.includes('newer character');
