import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';

/** Copies the keys that all servers of a run of suites share to the data folder of a server. Outside of suites, servers make their own. */
export function giveKeys(dataDir: string): void {
  if (process.env.VITEST === undefined) return;
  cpSync(join(inject('keys'), 'pki'), join(dataDir, 'pki'), { recursive: true });
}
