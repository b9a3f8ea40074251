import { fail, Failure } from '../errors.ts';
import { elementAt } from '../values/container.ts';
import { runtimeType } from '../values/kind.ts';
import { type ListValue, Uint, type Value } from '../values/value.ts';
import { type Clause, parseFormat } from './format-clauses.ts';

/** What a clause takes. */
interface Expectation {
  /** The kinds of types whose values it may take. */
  readonly kinds: ReadonlySet<string>;
  /** The error of all others, before their type. */
  readonly message: string;
}

/** How values are written for clauses; versions of the library differ in it. */
export interface Formatter {
  readonly expectations: Readonly<Record<Clause['verb'], Expectation>>;
  /** The text of a value; undefined when the clause does not take it. */
  format(clause: Clause, value: Value): string | undefined;
}

/** What a clause takes, from the names of kinds. */
export function expects(message: string, kinds: string): Expectation {
  return { message, kinds: new Set(kinds.split(' ')) };
}

/** The kinds of which `%s` may write values. */
export const textualKinds = 'list map int uint double bool string timestamp bytes duration type null';

/** The text with its clauses (`%s`, `%.2f`, ...) replaced by the arguments. */
export function formatText(formatter: Formatter, format: string, args: readonly Value[] | ListValue): string {
  let index = 0;
  return parseFormat(format, (clause) => {
    const at = index++;
    if (at >= args.length) return fail(`index ${at} out of range`);
    if (clause === undefined) return '';
    const value = elementAt(args, at);
    return during(
      () => formatter.format(clause, value) ?? unexpected(formatter, clause, runtimeType(value).name),
    );
  });
}

/** Ends with the error of a value that a clause does not take. */
export function unexpected({ expectations }: Formatter, { verb }: Clause, type: string): never {
  return fail(`${expectations[verb].message}, was given ${type}`);
}

/** Errors of formatting say so. */
export function during(format: () => string): string {
  try {
    return format();
  } catch (error) {
    if (error instanceof Failure) return fail(`error during formatting: ${error.message}`);
    throw error;
  }
}

/** The number of an `int` or `uint`. */
export function integerOf(value: Value): number | bigint | undefined {
  if (value instanceof Uint) return value.value;
  const isInt = typeof value === 'bigint' || (typeof value === 'number' && Number.isSafeInteger(value));
  return isInt ? value : undefined;
}

/** An integer, or the bytes of a text, in hexadecimal digits. */
export function hexOf(value: Value): string | undefined {
  const bytes = typeof value === 'string' ? new TextEncoder().encode(value) : value;
  if (bytes instanceof Uint8Array)
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return integerOf(value)?.toString(16);
}
