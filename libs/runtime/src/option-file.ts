import { readFile } from 'node:fs/promises';
import { OperatorError } from './error-codes.ts';

/** Reads a file that an option names. Throws OperatorError FILE_UNREADABLE. */
export async function readOptionFile(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new OperatorError('FILE_UNREADABLE', `cannot read ${path}: ${(cause as Error).message}`, { cause });
  }
}

/** Reads a file that an option may name; `undefined` where it names none. */
export const readOptionalFile = async (path: string | undefined): Promise<string | undefined> =>
  path === undefined ? undefined : await readOptionFile(path);
