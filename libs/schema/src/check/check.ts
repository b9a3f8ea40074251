import { type FieldError, type FieldErrorType, type JsonValue, maxFieldErrors } from '@annex/machinery';
import type { Correlation } from './correlation.ts';
import { sortedJson } from '../sorted-json.ts';

/**
 * Tells whether a value passes. Without an outcome it stops at the first failure and allocates nothing; with one it
 * records every failure, and then `path` is the value's path as go-openapi prints it.
 */
export type Check = (value: JsonValue, path: string, out?: Outcome, old?: Correlation) => boolean;

interface Failure {
  /** What go-openapi calls the name of the field: its path, or `undefined` for errors that carry none. */
  name: string | undefined;
  type: FieldErrorType;
  badValue: JsonValue;
  detail: string;
}

/** What the checks of one value found, counted as go-openapi counts, which decides the branch of a junctor that is reported. */
export class Outcome {
  matches = 0;
  private readonly failures: Failure[] = [];
  private readonly seen = new Set<string>();

  /** Records a failure under go-openapi's text for it, once; always returns false. */
  fail(
    text: string,
    name: string | undefined,
    type: FieldErrorType,
    badValue: JsonValue,
    detail = text,
  ): false {
    if (this.failures.length <= maxFieldErrors && !this.seen.has(text)) {
      this.seen.add(text);
      this.failures.push({ name, type, badValue, detail });
    }
    return false;
  }

  /** Records an error that belongs to no field. */
  failWhole(text: string): false {
    return this.fail(text, undefined, 'FieldValueInvalid', '');
  }

  /** Takes over what another outcome recorded. */
  merge(other: Outcome): void {
    this.matches += other.matches;
    const texts = [...other.seen];
    other.failures.forEach((failure, i) => {
      const text = texts[i] ?? '';
      if (this.seen.has(text)) return;
      this.seen.add(text);
      this.failures.push(failure);
    });
  }

  get size(): number {
    return this.failures.length;
  }

  /** Forgets the failures after the first `size`. */
  truncate(size: number): void {
    const texts = [...this.seen];
    this.failures.length = size;
    for (const text of texts.slice(size)) this.seen.delete(text);
  }

  /** The failures as field errors below `prefix`. */
  errors(prefix = ''): FieldError[] {
    return this.failures.map(({ name, type, badValue, detail }) => ({
      type,
      field: below(prefix, name),
      badValue: sortedJson(badValue),
      detail,
    }));
  }
}

function below(prefix: string, name: string | undefined): string {
  if (name === undefined || name === '' || name === '.') return prefix;
  const trimmed = name.startsWith('.') ? name.slice(1) : name;
  return prefix === '' ? trimmed : `${prefix}.${trimmed}`;
}
