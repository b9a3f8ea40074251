import { type FieldError, type FieldErrorType, type JsonValue, maxFieldErrors } from '@annex/machinery';
import type { Correlation } from './correlation.ts';
import { sortedJson } from '../sorted-json.ts';

/**
 * Returns true if a value is valid. Without an outcome it stops at the first failure and allocates nothing. With one it
 * records every failure, and `path` is the path as go-openapi formats it.
 */
export type Check = (value: JsonValue, path: string, out?: Outcome, old?: Correlation) => boolean;

interface Failure {
  /** The path of the field (go-openapi: name), `undefined` for errors without one. */
  name: string | undefined;
  type: FieldErrorType;
  badValue: JsonValue;
  detail: string;
}

/** The failures of one value, with go-openapi's count of matches, which selects the reported branch of a junctor. */
export class Outcome {
  matches = 0;
  private readonly failures: Failure[] = [];
  private readonly seen = new Set<string>();

  /** Records a failure once for each go-openapi message; always returns false. */
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

  /** Records an error without a field. */
  failWhole(text: string): false {
    return this.fail(text, undefined, 'FieldValueInvalid', '');
  }

  /** Adds the failures and matches of another outcome. */
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

  /** Removes the failures after the first `size`. */
  truncate(size: number): void {
    const texts = [...this.seen];
    this.failures.length = size;
    for (const text of texts.slice(size)) this.seen.delete(text);
  }

  /** Returns the failures as field errors below `prefix`. */
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
