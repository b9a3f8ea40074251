import { randomBytes } from 'node:crypto';
import { open, readFile, rename, rm } from 'node:fs/promises';

/**
 * Replaces a file atomically: readers see the old content or the new one, also after a crash of the machine. Without `durable`, the
 * file may be empty then, and nothing waits for the disk.
 */
export async function writeFileAtomically(
  file: string,
  content: string,
  mode: number,
  { durable = true } = {},
): Promise<void> {
  const draft = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    const handle = await open(draft, 'wx', mode);
    try {
      await handle.writeFile(content);
      if (durable) await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw naming(file, error);
  }
}

/** Returns the content of a text file, or `undefined` if the file does not exist. */
export async function readFileIfPresent(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw naming(file, error);
  }
}

/** Adds the file to an error of a call with an open file, which does not name it. */
function naming(file: string, error: unknown): unknown {
  const failure = error as NodeJS.ErrnoException;
  if (failure.syscall === undefined || failure.path !== undefined) return error;
  return Object.assign(failure, { path: file, message: `${failure.message} '${file}'` });
}
