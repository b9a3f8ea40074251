import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';

/** Gives a server that is to keep its data in a folder the keys that all servers of this run have. */
export const giveKeys = (dataDir: string): void =>
  cpSync(join(inject('keys'), 'pki'), join(dataDir, 'pki'), { recursive: true });
