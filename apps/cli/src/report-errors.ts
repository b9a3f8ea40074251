import { errorsText, invalidCommandLine } from '@annex/runtime';

/** Prints errors on standard error. Returns the exit code: 0 if there are none. */
export function reportErrors(errors: readonly unknown[]): number {
  process.stderr.write(errorsText(errors));
  return errors.length === 0 ? 0 : 1;
}

/** Prints the errors of a command line. Returns the exit code. */
export function reportInvalidCommandLine(errors: readonly unknown[]): number {
  process.stderr.write(errorsText(errors));
  return invalidCommandLine;
}
