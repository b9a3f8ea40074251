import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { DataFile } from './data-file.ts';
import { storeUseFile, statOf } from './store-files.ts';

/**
 * Written when a store is opened, and removed when it is closed. After a kill it tells whether the data file can be damaged: a kill
 * leaves what the process wrote in the memory of the kernel, unlike the end of the machine.
 */
interface StoreUse {
  annexStore: 1;
  /** The boot of the machine, as the kernel names it. */
  boot: string;
  /** The data file, which a restored copy replaces. */
  file: string;
  /** Whether the data file was intact when this process opened it. */
  checked: boolean;
}

/** Bytes of the file; a longer one is damaged. */
export const maxStoreUseBytes = 4096;

/**
 * Records that a data file is in use. Returns false if it cannot: the system does not name its boots, or the disk is full. Then the next
 * start checks the data file.
 */
export function writeStoreUse(dir: string, file: DataFile, checked: boolean): boolean {
  const boot = currentBoot();
  const aside = `${storeUseFile(dir)}.${randomUUID()}`;
  try {
    if (boot === undefined) throw new Error('the boot has no name');
    const use: StoreUse = { annexStore: 1, boot, file: file.identity, checked };
    // It need not survive the machine: the next boot has another name.
    writeFileSync(aside, `${JSON.stringify(use)}\n`, { mode: 0o600, flag: 'wx' });
    renameSync(aside, storeUseFile(dir));
    return true;
  } catch {
    rmSync(aside, { force: true });
    forgetStoreUse(dir);
    return false;
  }
}

/** The next start must check the data file, unless the store is closed in order. */
export function forgetStoreUse(dir: string): void {
  rmSync(storeUseFile(dir), { force: true });
}

/** True if the last process that opened a data file knew that it was intact, and the machine has been running since. */
export function wasIntactInUse(dir: string, file: DataFile): boolean {
  const use = readStoreUse(dir);
  return use?.checked === true && use.file === file.identity && use.boot === currentBoot();
}

function readStoreUse(dir: string): Partial<StoreUse> | undefined {
  const path = storeUseFile(dir);
  const stat = statOf(path);
  if (!stat?.isFile() || stat.size > maxStoreUseBytes) return undefined;
  try {
    const use = JSON.parse(readFileSync(path, 'utf8')) as Partial<StoreUse> | null;
    return use?.annexStore === 1 && typeof use.boot === 'string' ? use : undefined;
  } catch {
    return undefined;
  }
}

function currentBoot(): string | undefined {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return undefined;
  }
}
