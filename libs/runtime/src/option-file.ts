import { OperatorError } from './error-codes.ts';
import { readTextFile } from './read-file.ts';

/** Reads the file of an option. Throws OperatorError FILE_UNREADABLE. */
export async function readOptionFile(path: string): Promise<string> {
  try {
    return await readTextFile(path);
  } catch (cause) {
    throw new OperatorError('FILE_UNREADABLE', `cannot read ${path}: ${(cause as Error).message}`, { cause });
  }
}

/** Reads the file of an optional option; `undefined` if the option is not set. */
export const readOptionalFile = async (path: string | undefined): Promise<string | undefined> =>
  path === undefined ? undefined : await readOptionFile(path);

/** Converts the text of such a file. Throws OperatorError FILE_UNREADABLE if it is invalid. */
export async function usableFile<T>(path: string, make: () => T | Promise<T>): Promise<T> {
  try {
    return await make();
  } catch (cause) {
    throw new OperatorError('FILE_UNREADABLE', `cannot use ${path}: ${(cause as Error).message}`, { cause });
  }
}
