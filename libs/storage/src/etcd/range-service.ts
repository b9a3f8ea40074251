import type { Entry, Store } from '../store.ts';
import { keyRange } from './key-range.ts';
import { keyBytes } from './keys.ts';
import type { Message, MessageDraft } from './messages.ts';

type Request = Message<'RangeRequest'>;

/** Serves a Range request from a store. */
export async function range(store: Store, request: Request): Promise<MessageDraft<'RangeResponse'>> {
  const { entries, count, more, revision } = await read(store, request);
  const kvs = request.countOnly ? [] : entries.map((entry) => keyValue(entry, request.keysOnly));
  // The header has the current revision, whichever revision was read.
  const present = request.revision > 0 ? await store.currentRevision() : revision;
  return { header: { revision: present }, kvs, more: more && !request.countOnly, count };
}

interface Found {
  entries: Entry[];
  count: number;
  more: boolean;
  revision: number;
}

async function read(store: Store, request: Request): Promise<Found> {
  const { prefix, startKey, includes } = keyRange(request.key, request.rangeEnd);
  const revision = request.revision > 0 ? { revision: request.revision } : {};
  if (request.rangeEnd.length === 0) {
    const { entry, revision: seen } = await store.get(startKey, revision);
    return pick(request, entry ? [entry] : [], seen);
  }
  const limit = request.countOnly ? 1 : request.limit;
  if (!includes && !isFiltered(request)) return store.list(prefix, { startKey, limit, ...revision });
  const list = await store.list(prefix, {
    startKey: startKey.startsWith(prefix) ? startKey : prefix,
    ...revision,
  });
  return pick(
    request,
    includes ? list.entries.filter(({ key }) => includes(key)) : list.entries,
    list.revision,
  );
}

/** True for requests with conditions that a store cannot evaluate. */
function isFiltered(request: Request): boolean {
  const { sortOrder, sortTarget, minModRevision, maxModRevision, minCreateRevision, maxCreateRevision } =
    request;
  const byKey = sortOrder === none || (sortOrder === ascending && sortTarget === keyTarget);
  return (
    !byKey ||
    [minModRevision, maxModRevision, minCreateRevision, maxCreateRevision].some((bound) => bound > 0)
  );
}

function pick(request: Request, all: Entry[], revision: number): Found {
  const requested = sorted(
    request,
    all.filter((entry) => isWithin(request, entry)),
  );
  const entries = request.limit > 0 ? requested.slice(0, request.limit) : requested;
  return { entries, count: all.length, more: entries.length < requested.length, revision };
}

function isWithin(request: Request, { modRevision, createRevision }: Entry): boolean {
  const { minModRevision, maxModRevision, minCreateRevision, maxCreateRevision } = request;
  return (
    modRevision >= minModRevision &&
    createRevision >= minCreateRevision &&
    (maxModRevision === 0 || modRevision <= maxModRevision) &&
    (maxCreateRevision === 0 || createRevision <= maxCreateRevision)
  );
}

const none = 0;
const ascending = 1;
const descending = 2;
const keyTarget = 0;

const comparisons: ((a: Entry, b: Entry) => number)[] = [
  (a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0),
  (a, b) => (a.version ?? 1) - (b.version ?? 1),
  (a, b) => a.createRevision - b.createRevision,
  (a, b) => a.modRevision - b.modRevision,
  (a, b) => Buffer.compare(a.value, b.value),
];

function sorted({ sortOrder, sortTarget }: Request, entries: Entry[]): Entry[] {
  const compare = comparisons[sortTarget];
  // etcd sorts ascending if a target but no order is set.
  if (!compare || (sortOrder === none && sortTarget === keyTarget)) return entries;
  return entries.sort(sortOrder === descending ? (a, b) => compare(b, a) : compare);
}

/** Converts an entry to etcd's format. */
export function keyValue(entry: Entry, keysOnly = false): MessageDraft<'KeyValue'> {
  const { key, createRevision, modRevision, version = 1, value } = entry;
  const kv = { key: keyBytes(key), createRevision, modRevision, version };
  return keysOnly ? kv : { ...kv, value };
}
