import type { Entry, Store } from '@annex/storage';
import { StoreError } from '@annex/storage';

/** The content of a store at one revision: keys and values, in the order of their creation. */
export interface Snapshot {
  readonly entries: ReadonlyMap<string, Uint8Array>;
}

/** Reads the content of a store at one revision. */
export async function takeSnapshot(store: Store): Promise<Snapshot> {
  const { entries } = await store.list('/');
  // Owners are created before the objects that refer to them.
  const byAge = entries.toSorted((a, b) => a.createRevision - b.createRevision);
  return { entries: new Map(byAge.map(({ key, value }) => [key, value])) };
}

/** Writes a snapshot to an empty store. */
export async function fillStore(store: Store, { entries }: Snapshot): Promise<void> {
  for (const [key, value] of entries) await store.create(key, value);
}

/**
 * Restores the content of a snapshot. Only the differences are written, as new changes: watches receive them, and revisions increase.
 * Concurrent writes are overwritten.
 */
export async function restoreSnapshot(store: Store, snapshot: Snapshot): Promise<void> {
  while (!(await tryRestore(store, snapshot)));
}

/** Resolves to true if there were no concurrent writes. */
async function tryRestore(store: Store, { entries }: Snapshot): Promise<boolean> {
  const { entries: present } = await store.list('/');
  const known = new Map(present.map((entry) => [entry.key, entry]));
  const added = present.filter(({ key }) => !entries.has(key));
  const writes: (() => Promise<unknown>)[] = [...entries].flatMap(([key, value]) =>
    writeOf(store, key, value, known.get(key)),
  );
  // Newer objects are deleted first: dependents before their owner.
  for (const { key, modRevision } of added.toSorted((a, b) => b.createRevision - a.createRevision)) {
    writes.push(() => store.delete(key, modRevision));
  }
  let isDone = true;
  for (const write of writes) {
    await write().catch((error: unknown) => {
      if (!(error instanceof StoreError) || !overtaken.has(error.code)) throw error;
      isDone = false;
    });
  }
  return isDone;
}

const overtaken: ReadonlySet<string> = new Set(['conflict', 'exists', 'notFound']);

function writeOf(store: Store, key: string, value: Uint8Array, present: Entry | undefined) {
  if (present === undefined) return [() => store.create(key, value)];
  if (Buffer.compare(present.value, value) === 0) return [];
  return [() => store.update(key, value, present.modRevision)];
}
