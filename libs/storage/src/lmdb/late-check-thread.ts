import { parentPort, workerData } from 'node:worker_threads';
import { checkRecords } from './check-records.ts';
import { DataFile } from './data-file.ts';
import type { MetaPage } from './page-format.ts';
import { StoreDamage } from './store-damage.ts';

/** The data file, and its pages at the time of a read transaction. */
export interface LateCheckInput {
  path: string;
  meta: MetaPage;
}

export interface LateCheckResult {
  /** The rest of the sentence after the file name. */
  damage: string | undefined;
}

// Checks a data file that was opened without a check, so that the check does not delay the start or requests.
const { path, meta } = workerData as LateCheckInput;

function damageOf(): string | undefined {
  try {
    using file = new DataFile(path);
    for (const _ of checkRecords(file, meta));
    return undefined;
  } catch (error) {
    if (error instanceof StoreDamage) return error.sentence;
    throw error;
  }
}

parentPort?.postMessage({ damage: damageOf() } satisfies LateCheckResult);
