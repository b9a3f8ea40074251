import type { Entry, Store } from '@annex/storage';
import { StoreError } from '@annex/storage';

/** Everything that a store held at one moment: the keys with their bytes, in the order in which they were created. */
export interface Snapshot {
  readonly entries: ReadonlyMap<string, Uint8Array>;
}

/** Reads all of a store, as of one revision. */
export async function takeSnapshot(store: Store): Promise<Snapshot> {
  const { entries } = await store.list('/');
  // What others refer to comes before what refers to it: an owner was there before what it owns.
  const byAge = entries.toSorted((a, b) => a.createRevision - b.createRevision);
  return { entries: new Map(byAge.map(({ key, value }) => [key, value])) };
}

/** Fills an empty store. */
export async function fillStore(store: Store, { entries }: Snapshot): Promise<void> {
  for (const [key, value] of entries) await store.create(key, value);
}

/**
 * Makes a store hold what it held then. Only the differences are written, as further changes: whoever watches sees them,
 * and revisions go on. Writers in between are overruled.
 */
export async function restoreSnapshot(store: Store, snapshot: Snapshot): Promise<void> {
  while (!(await tryRestore(store, snapshot)));
}

/** Resolves to whether nobody else wrote meanwhile. */
async function tryRestore(store: Store, { entries }: Snapshot): Promise<boolean> {
  const { entries: present } = await store.list('/');
  const known = new Map(present.map((entry) => [entry.key, entry]));
  const added = present.filter(({ key }) => !entries.has(key));
  const writes: (() => Promise<unknown>)[] = [...entries].flatMap(([key, value]) =>
    writeOf(store, key, value, known.get(key)),
  );
  // What came last goes first: what is owned before its owner.
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
