import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addToLedger, readLedger } from './ledger.ts';

describe('the ledger of campaigns', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'annex-fuzz-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('adds up the campaigns of a target', () => {
    const file = join(folder, 'new', 'ledger.json');
    expect(readLedger(file)).toEqual(new Map());
    addToLedger('url', { inputs: 1000, seconds: 2.4, findings: 0 }, file);
    addToLedger('cel', { inputs: 5, seconds: 1, findings: 1 }, file);
    addToLedger('url', { inputs: 500, seconds: 1, findings: 2 }, file);
    expect([...readLedger(file)]).toEqual([
      ['cel', { inputs: 5, seconds: 1, findings: 1 }],
      ['url', { inputs: 1500, seconds: 3, findings: 2 }],
    ]);
  });
});
