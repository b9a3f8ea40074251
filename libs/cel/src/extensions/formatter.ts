import { fail, Failure } from '../errors.ts';
import { elementAt } from '../values/container.ts';
import { runtimeType } from '../values/kind.ts';
import { type ListValue, Uint, type Value } from '../values/value.ts';
import { type Clause, parseFormat } from './format-clauses.ts';

/** The values that a clause accepts. */
interface Expectation {
  /** The kinds of types that the clause accepts. */
  readonly kinds: ReadonlySet<string>;
  /** The error for other types, without the name of the type. */
  readonly message: string;
}

/** Formats values for clauses; it depends on the version of the library. */
export interface Formatter {
  readonly expectations: Readonly<Record<Clause['verb'], Expectation>>;
  /** Returns the formatted value; undefined if the clause does not accept it. */
  format(clause: Clause, value: Value): string | undefined;
}

/** Creates an expectation from space-separated names of kinds. */
export function expectation(message: string, kinds: string): Expectation {
  return { message, kinds: new Set(kinds.split(' ')) };
}

/** The kinds that `%s` accepts. */
export const textualKinds = 'list map int uint double bool string timestamp bytes duration type null';

/** Replaces the clauses (`%s`, `%.2f`, ...) of a format by the arguments. */
export function formatText(formatter: Formatter, format: string, args: readonly Value[] | ListValue): string {
  let index = 0;
  return parseFormat(format, (clause) => {
    const at = index++;
    if (at >= args.length) return fail(`index ${at} out of range`);
    if (clause === undefined) return '';
    const value = elementAt(args, at);
    return prefixFormatErrors(
      () => formatter.format(clause, value) ?? failClauseType(formatter, clause, runtimeType(value).name),
    );
  });
}

/** Fails with the error for a type that the clause does not accept. */
export function failClauseType({ expectations }: Formatter, { verb }: Clause, type: string): never {
  return fail(`${expectations[verb].message}, was given ${type}`);
}

/** Adds the prefix of formatting errors to a failure. */
export function prefixFormatErrors(format: () => string): string {
  try {
    return format();
  } catch (error) {
    if (error instanceof Failure) return fail(`error during formatting: ${error.message}`);
    throw error;
  }
}

/** Returns the number of an `int` or `uint`, undefined for other values. */
export function integerOf(value: Value): number | bigint | undefined {
  if (value instanceof Uint) return value.value;
  const isInt = typeof value === 'bigint' || (typeof value === 'number' && Number.isSafeInteger(value));
  return isInt ? value : undefined;
}

/** Formats an integer, or the bytes of a string, in hexadecimal. */
export function hexOf(value: Value): string | undefined {
  const bytes = typeof value === 'string' ? new TextEncoder().encode(value) : value;
  if (bytes instanceof Uint8Array)
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return integerOf(value)?.toString(16);
}
