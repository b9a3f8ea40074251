import { PkiError } from '@annex/auth';
import { OperatorError } from '@annex/runtime';
import { StoreError } from '@annex/storage';

/** Says on standard error what went wrong. Returns the exit code: 0 where nothing did. */
export function reportErrors(errors: readonly unknown[]): number {
  for (const error of errors) process.stderr.write(`${errorText(error)}\n`);
  return errors.length === 0 ? 0 : 1;
}

const expected = [OperatorError, StoreError, PkiError];

/** Returns the text that is printed of an error: the stack of unexpected errors. */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return `annex: ${String(error)}`;
  const isExpected = expected.some((kind) => error instanceof kind);
  return `annex: ${isExpected ? error.message : (error.stack ?? error.message)}`;
}
