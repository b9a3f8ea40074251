import { OperatorError } from './error-codes.ts';
import { readTextFile } from './read-file.ts';

/** Reads a file that an option names. Throws OperatorError FILE_UNREADABLE. */
export async function readOptionFile(path: string): Promise<string> {
  try {
    return await readTextFile(path);
  } catch (cause) {
    throw new OperatorError('FILE_UNREADABLE', `cannot read ${path}: ${(cause as Error).message}`, { cause });
  }
}

/** Reads a file that an option may name; `undefined` where it names none. */
export const readOptionalFile = async (path: string | undefined): Promise<string | undefined> =>
  path === undefined ? undefined : await readOptionFile(path);

/** What is made of the text of such a file. Throws OperatorError FILE_UNREADABLE where it is of no use. */
export async function usableFile<T>(path: string, make: () => T | Promise<T>): Promise<T> {
  try {
    return await make();
  } catch (cause) {
    throw new OperatorError('FILE_UNREADABLE', `cannot use ${path}: ${(cause as Error).message}`, { cause });
  }
}
