import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ContractCase } from './contract/contract-case.contract.ts';
import { historyCases } from './contract/history.contract.ts';
import { readCases } from './contract/reads.contract.ts';
import { watchCases } from './contract/watches.contract.ts';
import { writeCases } from './contract/writes.contract.ts';
import type { Store } from './store.ts';

const cases: readonly ContractCase[] = [...writeCases, ...readCases, ...watchCases, ...historyCases];

let runs = 0;

/** Options to run the contract on a store. */
export interface ContractOptions {
  /**
   * Opens the store for one case; it is closed after the case. Stores may share their data: each case has a
   * separate prefix.
   */
  open(): Promise<Store>;
  /**
   * Cases that this store does not support, with the reason. They show as skipped; an unknown case name
   * fails.
   */
  unsupported?: Readonly<Record<string, string>>;
}

/** Registers every case of the store contract for one store. */
export function storeContract(name: string, { open, unsupported = {} }: ContractOptions): void {
  describe(`store contract: ${name}`, () => {
    let store: Store;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store.close());

    for (const { name, run } of cases) {
      const reason = unsupported[name];
      if (reason) test.skip(`${name} (skipped: ${reason})`, () => {});
      else test(name, () => run({ store, at: `/registry/contract-${process.pid}-${++runs}-${Date.now()}/` }));
    }
    test('every unsupported case is a case of the contract', () => {
      const names = new Set(cases.map((c) => c.name));
      expect(Object.keys(unsupported).filter((name) => !names.has(name))).toEqual([]);
    });
  });
}
