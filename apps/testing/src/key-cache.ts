import { mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { ensurePki, type PkiOptions } from '@annex/auth';

/** Returns the folder where keys are kept between runs, readable by their owner only. */
const cacheDir = (): string => join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'annex-testing');

/**
 * Returns the data directory whose `pki` all instances of this user share, because creating keys takes longer than all other work. There is
 * one for each month, so that certificates are not renewed while they are used. It is created under another name and renamed atomically: if
 * several processes create it concurrently, all use the first.
 */
export async function sharedKeys(options: PkiOptions, cache = cacheDir(), now = new Date()): Promise<string> {
  const dir = join(cache, `keys-${now.toISOString().slice(0, 7)}`);
  if (await exists(dir)) return dir;
  await mkdir(cache, { recursive: true, mode: 0o700 });
  const aside = await mkdtemp(join(cache, 'making-'));
  try {
    await ensurePki(join(aside, 'pki'), options);
    await rename(aside, dir);
  } catch (error) {
    if (!(await exists(dir))) throw error;
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
  return dir;
}

const exists = (dir: string): Promise<boolean> =>
  stat(dir).then(
    () => true,
    () => false,
  );
