import { StoreError, StoredObject } from '@annex/storage';
import type { ContinueToken } from '../queries/continue-token.ts';
import { storeStatus } from '../store-status.ts';
import type { RequestScope } from './request-scope.ts';

/** Objects to select from, in the order of their keys and in chunks. */
export interface Candidates {
  revision: number;
  /** The total number of objects. */
  count: number;
  chunks: Iterable<Candidate[]> | AsyncIterable<Candidate[]>;
}

interface Candidate {
  key: string;
  value: StoredObject;
}

/** The number of historical objects that one read returns. */
const chunkLength = 1000;

/** A part of the objects at an earlier revision. */
interface Chunk {
  items: Candidate[];
  /** The number of objects from the first one on. */
  count: number;
  more: boolean;
}

/**
 * Returns the objects from a key on at an earlier revision, in chunks of this length: from the watch cache while its history reaches back
 * that far, else from the store.
 */
export async function historicalObjects(
  scope: RequestScope,
  place: string,
  { revision, startKey }: ContinueToken,
  length = chunkLength,
): Promise<Candidates> {
  const snapshot = scope.objects.cache.snapshot(place, revision);
  const read = async (from: string): Promise<Chunk> => {
    const items = snapshot?.page(from, length);
    if (!snapshot || !items) return await readStore(scope, place, { revision, startKey: from }, length);
    const count = snapshot.count(from);
    return { items, count, more: count > items.length };
  };
  const first = await read(startKey);
  async function* chunks() {
    for (let chunk = first; ; chunk = await read(`${chunk.items.at(-1)?.key}\0`)) {
      yield chunk.items;
      if (!chunk.more) return;
    }
  }
  return { revision, count: first.count, chunks: chunks() };
}

async function readStore(
  { server, kind }: RequestScope,
  place: string,
  from: ContinueToken,
  limit: number,
): Promise<Chunk> {
  try {
    const { entries, count, more } = await server.deps.store.list(place, { ...from, limit });
    return {
      items: entries.map((entry) => ({ key: entry.key, value: new StoredObject(entry) })),
      count,
      more,
    };
  } catch (error) {
    throw error instanceof StoreError ? storeStatus(error, kind, '') : error;
  }
}

/** Returns the object of a key at an earlier revision. */
export async function historicalObject(
  { server, kind, objects }: RequestScope,
  key: string,
  revision: number,
): Promise<Candidates> {
  const known = objects.cache.snapshot(key, revision)?.page(key, 1);
  if (known) return { revision, count: known.length, chunks: [known] };
  try {
    const { entry } = await server.deps.store.get(key, { revision });
    const found = entry ? [{ key, value: new StoredObject(entry) }] : [];
    return { revision, count: found.length, chunks: [found] };
  } catch (error) {
    throw error instanceof StoreError ? storeStatus(error, kind, '') : error;
  }
}
