import { PkiError } from '@annex/auth';
import { OperatorError } from '@annex/runtime';
import { StoreError } from '@annex/storage';

/** Prints errors on standard error. Returns the exit code: 0 if there are none. */
export function reportErrors(errors: readonly unknown[]): number {
  for (const error of errors) process.stderr.write(`${errorText(error)}\n`);
  return errors.length === 0 ? 0 : 1;
}

const expected = [OperatorError, StoreError, PkiError];

/** Returns the text of an error; for unexpected errors, the stack. */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return `annex: ${String(error)}`;
  const isExpected = expected.some((kind) => error instanceof kind);
  return `annex: ${isExpected ? error.message : (error.stack ?? error.message)}`;
}
