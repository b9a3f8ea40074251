import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from './targets.ts';

/** The totals of all campaigns of a target. */
export interface LedgerEntry {
  inputs: number;
  seconds: number;
  findings: number;
}

const ledgerFile = join(root, '.cache', 'fuzz', 'ledger.json');

/** Reads the entries of all targets that were fuzzed, by name. */
export function readLedger(file = ledgerFile): Map<string, LedgerEntry> {
  if (!existsSync(file)) return new Map();
  return new Map(Object.entries(JSON.parse(readFileSync(file, 'utf8')) as Record<string, LedgerEntry>));
}

/** Adds a campaign to the ledger. Reads the file again, because campaigns of other targets may have ended since. */
export function addToLedger(name: string, campaign: LedgerEntry, file = ledgerFile): void {
  const ledger = readLedger(file);
  const { inputs, seconds, findings } = ledger.get(name) ?? { inputs: 0, seconds: 0, findings: 0 };
  ledger.set(name, {
    inputs: inputs + campaign.inputs,
    seconds: Math.round(seconds + campaign.seconds),
    findings: findings + campaign.findings,
  });
  mkdirSync(dirname(file), { recursive: true });
  const sorted = [...ledger].sort(([a], [b]) => (a < b ? -1 : 1));
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`);
}
