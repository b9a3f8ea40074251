import { OperatorError, type OperatorErrorCode } from './error-codes.ts';

/** Returns the error that an operator can fix; undefined for an unexpected error. */
export function operatorErrorOf(error: unknown): OperatorError | undefined {
  if (error instanceof OperatorError) return error;
  if (!(error instanceof Error)) return undefined;
  const { code, path, syscall = '' } = error as NodeJS.ErrnoException;
  if (path === undefined) return undefined;
  return new OperatorError(codeOf(code, syscall), error.message, { cause: error });
}

function codeOf(code: string | undefined, syscall: string): OperatorErrorCode {
  if (code === 'ENOSPC' || code === 'EDQUOT') return 'DISK_FULL';
  return writingCalls.has(syscall) ? 'FILE_UNWRITABLE' : 'FILE_UNREADABLE';
}

const writingCalls = new Set([
  'chmod',
  'copyfile',
  'fsync',
  'ftruncate',
  'mkdir',
  'mkdtemp',
  'rename',
  'unlink',
  'write',
]);

/**
 * Formats errors for a terminal: code, message and next step. The next step of several errors with one code is printed once. An unexpected
 * error has its stack.
 */
export function errorsText(errors: readonly unknown[]): string {
  let text = '';
  errors.forEach((error, i) => {
    const known = operatorErrorOf(error) ?? unexpected(error);
    const isLastOfCode = i + 1 === errors.length || operatorErrorOf(errors[i + 1])?.code !== known.code;
    text += isLastOfCode ? `${String(known)}\n` : `${known.code}: ${known.message}\n`;
  });
  return text;
}

function unexpected(error: unknown): OperatorError {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return new OperatorError('UNEXPECTED_ERROR', text, { cause: error });
}
