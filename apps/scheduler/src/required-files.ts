import { readTextFile, type Validated } from '@annex/runtime';
import type { SchedulerProcessConfig } from './options.ts';

/** Reads a file. Rejects with Go's text if it does not exist. */
export async function readExistingFile(file: string): Promise<string> {
  try {
    return await readTextFile(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new Error(`open ${file}: no such file or directory`, { cause: error });
  }
}

/** Rejects with kube-scheduler's error if a file of the health port does not exist. */
export async function requireFiles({
  clientCaFile,
  requestheaderClientCaFile,
  tlsCertFile,
  tlsPrivateKeyFile,
}: Validated<SchedulerProcessConfig>): Promise<void> {
  for (const file of [tlsCertFile, tlsPrivateKeyFile]) if (file !== undefined) await readExistingFile(file);
  for (const file of [clientCaFile, requestheaderClientCaFile]) {
    if (file === undefined) continue;
    await readExistingFile(file).catch((error: Error) => {
      throw new Error(`unable to load client CA provider: ${error.message}`, { cause: error });
    });
  }
}
