import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { openLmdbStore } from './open-lmdb-store.ts';
import { storeContract } from './store.contract.ts';

const base = mkdtempSync(join(tmpdir(), 'annex-lmdb-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

let opened = 0;
storeContract('LMDB', { open: () => openLmdbStore({ dir: join(base, String(++opened)) }) });
