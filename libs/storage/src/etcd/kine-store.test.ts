import { requireTools } from '@annex/testkit';
import { afterAll, beforeAll, describe } from 'vitest';
import { storeContract } from '../store.contract.ts';
import { createEtcdStore } from './create-etcd-store.ts';
import { type Kine, startKineOnPostgres, startKineOnSqlite } from './kine.fixture.ts';

const unsupported = {
  'a store with batches creates all keys or none': 'kine has no transactions of many keys',
  'compaction removes older history, and keeps what is readable at its revision':
    'kine does not keep the previous value of the first change after a compaction',
};
const databases: [name: string, start: () => Promise<Kine>, tools: string[]][] = [
  ['SQLite', startKineOnSqlite, ['kine']],
  ['PostgreSQL', startKineOnPostgres, ['kine', 'initdb', 'postgres']],
];

for (const [name, start, tools] of databases)
  describe.runIf(requireTools(`etcd client, kine on ${name}`, ...tools))(`over kine on ${name}`, () => {
    let kine: Kine;
    beforeAll(async () => {
      kine = await start();
    });
    afterAll(() => kine[Symbol.asyncDispose]());

    storeContract(`etcd client, kine on ${name}`, {
      open: () => createEtcdStore({ servers: [kine.url] }),
      unsupported,
    });
  });
