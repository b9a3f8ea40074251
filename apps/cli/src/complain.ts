import { PkiError } from '@annex/auth';
import { OperatorError } from '@annex/runtime';
import { StoreError } from '@annex/storage';

/** Says on standard error what went wrong. Returns the exit code: 0 where nothing did. */
export function complain(errors: readonly unknown[]): number {
  for (const error of errors) process.stderr.write(`annex: ${describe(error)}\n`);
  return errors.length === 0 ? 0 : 1;
}

const expected = [OperatorError, StoreError, PkiError];

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return expected.some((kind) => error instanceof kind) ? error.message : (error.stack ?? error.message);
}
