import { type NewEntry, type Store, StoreError } from './store.ts';

/** The keys of one transaction: half of etcd's `--max-txn-ops`. */
const batchLength = 64;

/** Creates the keys that do not exist. Many keys take few transactions, where the store has them; they are sent at once. */
export async function createMissing(store: Store, entries: readonly NewEntry[]): Promise<void> {
  if (store.createAll === undefined || entries.length < 2) return await createEach(store, entries);
  const batches = Array.from({ length: Math.ceil(entries.length / batchLength) }, (_, index) =>
    entries.slice(index * batchLength, (index + 1) * batchLength),
  );
  await Promise.all(batches.map((batch) => createBatch(store, batch)));
}

async function createBatch(store: Store, batch: readonly NewEntry[]): Promise<void> {
  // A store behind the API of etcd may not support such transactions. Other errors occur again.
  const revision = await store.createAll!(batch).catch(() => undefined);
  if (revision === undefined) await createEach(store, batch);
}

async function createEach(store: Store, entries: readonly NewEntry[]): Promise<void> {
  await Promise.all(
    entries.map(({ key, value }) =>
      store.create(key, value).catch((error: unknown) => {
        if (!(error instanceof StoreError && error.code === 'exists')) throw error;
      }),
    ),
  );
}
