import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';

/** Copies the keys that all servers of this run share to the data folder of a server. */
export const giveKeys = (dataDir: string): void =>
  cpSync(join(inject('keys'), 'pki'), join(dataDir, 'pki'), { recursive: true });
