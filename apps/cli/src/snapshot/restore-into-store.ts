import { hash } from 'node:crypto';
import { type ImageEntry, type Store, StoreError } from '@annex/storage';
import { isEphemeral, pages } from './store-content.ts';

/** Writes that are sent at once. */
const concurrency = 32;
/** What is kept of each stored entry. */
interface Stored {
  modRevision: number;
  digest: string;
}

const digestOf = (value: Uint8Array): string => hash('sha256', value);

/**
 * Makes the content of a store that of a snapshot, by creations, updates and deletions of what differs: servers may use the store, and
 * their watches receive these changes. What the snapshot does not contain is deleted last. Resolves to the number of changes.
 */
export async function restoreInto(store: Store, entries: AsyncIterable<ImageEntry>): Promise<number> {
  const existing = new Map<string, Stored>();
  for await (const { key, modRevision, value } of pages(store))
    if (!isEphemeral(key)) existing.set(key, { modRevision, digest: digestOf(value) });
  let changes = 0;
  const change = async (entry: ImageEntry) => {
    const stored = existing.get(entry.key);
    existing.delete(entry.key);
    if (await put(store, entry, stored)) changes++;
  };
  await inGroups(entries, change);
  await inGroups(existing.keys(), async (key) => {
    if (await remove(store, key)) changes++;
  });
  return changes;
}

/** Makes an entry the current one. Resolves to false if nothing had to be done. */
async function put(store: Store, entry: ImageEntry, known: Stored | undefined): Promise<boolean> {
  const { key, value, expiresAt } = entry;
  const ttlSeconds = expiresAt === undefined ? undefined : Math.ceil((expiresAt - Date.now()) / 1000);
  if (isEphemeral(key) || (ttlSeconds !== undefined && ttlSeconds <= 0)) return false;
  const options = ttlSeconds === undefined ? {} : { ttlSeconds };
  for (let stored = known; ;) {
    if (stored?.digest === digestOf(value)) return false;
    try {
      if (stored) await store.update(key, value, stored.modRevision, options);
      else await store.create(key, value, options);
      return true;
    } catch (error) {
      if (!isOvertaken(error)) throw error;
      const { entry: current } = await store.get(key);
      stored = current && { modRevision: current.modRevision, digest: digestOf(current.value) };
    }
  }
}

async function remove(store: Store, key: string): Promise<boolean> {
  try {
    await store.delete(key);
    return true;
  } catch (error) {
    if (!isOvertaken(error)) throw error;
    return false;
  }
}

/** A server was faster. */
const isOvertaken = (error: unknown): boolean =>
  error instanceof StoreError && ['conflict', 'exists', 'notFound'].includes(error.code);

async function inGroups<T>(
  items: Iterable<T> | AsyncIterable<T>,
  run: (item: T) => Promise<void>,
): Promise<void> {
  let group: T[] = [];
  for await (const item of items) {
    group.push(item);
    if (group.length < concurrency) continue;
    await Promise.all(group.map(run));
    group = [];
  }
  await Promise.all(group.map(run));
}
