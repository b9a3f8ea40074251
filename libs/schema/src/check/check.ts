import {
  type FieldError,
  type FieldErrorType,
  type JsonValue,
  maxFieldErrors,
  type Passes,
} from '@annex/machinery';
import type { Correlation } from './correlation.ts';
import { sortedJsonInPasses } from '../sorted-json.ts';

/** The compiled validations of a value. */
export interface Check {
  /**
   * Returns true if a value is valid. Stops at the first failure and allocates nothing. The result counts only if the attempt was not
   * given up.
   */
  accepts(value: JsonValue): boolean;
  /**
   * Records every failure; returns whether the value is valid, for lists, objects and junctors in passes. `path` is the path as go-openapi
   * formats it.
   */
  report(value: JsonValue, path: string, out: Outcome, old?: Correlation): boolean | Passes<boolean>;
}

/** A check that visits no other values. Without an outcome it records nothing. */
export type Test = (value: JsonValue, path: string, out?: Outcome) => boolean;

/** Returns the check of a test. */
export const checkOf = (test: Test): Check => ({ accepts: (value) => test(value, ''), report: test });

interface Failure {
  /** go-openapi's message, which occurs once. */
  text: string;
  /** The path of the field (go-openapi: name), `undefined` for errors without one. */
  name: string | undefined;
  type: FieldErrorType;
  badValue: JsonValue;
  detail: string;
}

/** The failures of one value, with go-openapi's count of matches, which selects the reported branch of a junctor. */
export class Outcome {
  matches = 0;
  /** True for a branch of a junctor, whose matches count. */
  readonly isBranch: boolean;
  readonly #failures: Failure[] = [];
  readonly #seen = new Set<string>();

  constructor(isBranch = false) {
    this.isBranch = isBranch;
  }

  /** Records a failure once for each go-openapi message; always returns false. */
  fail(
    text: string,
    name: string | undefined,
    type: FieldErrorType,
    badValue: JsonValue,
    detail = text,
  ): false {
    if (!this.isFull) this.#add({ text, name, type, badValue, detail });
    return false;
  }

  /** Records an error without a field. */
  failWhole(text: string): false {
    return this.fail(text, undefined, 'FieldValueInvalid', '');
  }

  #add(failure: Failure): void {
    if (this.#seen.has(failure.text)) return;
    this.#seen.add(failure.text);
    this.#failures.push(failure);
  }

  /** Adds the failures and matches of another outcome. */
  merge(other: Outcome): void {
    this.matches += other.matches;
    for (const failure of other.#failures) if (!this.isFull) this.#add(failure);
  }

  /** True if further failures are not recorded. */
  get isFull(): boolean {
    return this.#failures.length > maxFieldErrors;
  }

  /** True if there are more failures than a response reports, and nothing else counts. */
  get isEnough(): boolean {
    return this.isFull && !this.isBranch;
  }

  get size(): number {
    return this.#failures.length;
  }

  /** Removes the failures after the first `size`. */
  truncate(size: number): void {
    for (const { text } of this.#failures.splice(size)) this.#seen.delete(text);
  }

  /** Returns the failures as field errors below `prefix`. Those of the same value have the same copy of it. */
  *errors(prefix = ''): Passes<FieldError[]> {
    const copies = new Map<JsonValue, JsonValue>();
    const errors: FieldError[] = [];
    for (const { name, type, badValue, detail } of this.#failures) {
      let copy = copies.get(badValue);
      if (copy === undefined) copies.set(badValue, (copy = yield* sortedJsonInPasses(badValue)));
      errors.push({ type, field: below(prefix, name), badValue: copy, detail });
    }
    return errors;
  }
}

function below(prefix: string, name: string | undefined): string {
  if (name === undefined || name === '' || name === '.') return prefix;
  const trimmed = name.startsWith('.') ? name.slice(1) : name;
  return prefix === '' ? trimmed : `${prefix}.${trimmed}`;
}
