import { type NewEntry, type Store, StoreError } from './store.ts';

/** The keys of one transaction: half of etcd's `--max-txn-ops`. */
const batchLength = 64;

/** Creates the keys that do not exist. Many keys take few transactions, where the store has them. */
export async function createMissing(store: Store, entries: readonly NewEntry[]): Promise<void> {
  if (store.createAll === undefined || entries.length < 2) return await createEach(store, entries);
  for (let start = 0; start < entries.length; start += batchLength) {
    const batch = entries.slice(start, start + batchLength);
    // A store behind the API of etcd may not support such transactions. Other errors occur again.
    const revision = await store.createAll(batch).catch(() => undefined);
    if (revision === undefined) await createEach(store, batch);
  }
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
