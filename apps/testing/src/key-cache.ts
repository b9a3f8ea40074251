import { mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { ensurePki, type PkiOptions } from '@annex/auth';

/** Where keys are kept between runs, readable by their owner only. */
const cacheDir = (): string => join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'annex-testing');

/**
 * The data directory whose `pki` all instances of this user share: making keys takes longer than everything else. There is
 * one for each month, so that no certificate is ever renewed while somebody uses it. It is made aside and renamed in one
 * go: of those who make it at the same time one wins, and all use what the winner made.
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
