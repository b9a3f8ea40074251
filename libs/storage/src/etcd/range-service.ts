import { finishInSlices, sortInPasses } from '@annex/machinery';
import { createPacer, eachInSlices, ownTurn } from '@annex/runtime';
import type { Entry, Store } from '../store.ts';
import { encodeInSlices } from './encode-in-slices.ts';
import { keyRange } from './key-range.ts';
import { keyBytes } from './keys.ts';
import type { Message, MessageDraft } from './messages.ts';

type Request = Message<'RangeRequest'>;

/** The response to a Range request, encoded. */
interface EncodedRange {
  /** The revision of its header. */
  revision: number;
  bytes: Buffer;
}

/** Serves a Range request from a store, in time slices. The header also has the given fields. */
export async function range(
  store: Store,
  request: Request,
  header: MessageDraft<'ResponseHeader'> = {},
): Promise<EncodedRange> {
  const { entries, count, more, revision } = await read(store, request);
  // The header has the current revision, whichever revision was read.
  const present = request.revision > 0 ? await store.currentRevision() : revision;
  const bytes = await encodeInSlices(
    'RangeResponse',
    { header: { ...header, revision: present }, more: more && !request.countOnly, count },
    {
      field: 'kvs',
      items: request.countOnly ? [] : entries,
      convert: (entry) => keyValue(entry, request.keysOnly),
    },
  );
  return { revision: present, bytes };
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
    const entries = entry && isWithin(request, entry) ? [entry] : [];
    return { entries, count: Number(entry !== undefined), more: false, revision: seen };
  }
  // Many ranges can be requested in one turn of the event loop.
  await ownTurn();
  const limit = request.countOnly ? 1 : request.limit;
  if (!includes && !isFiltered(request)) return store.list(prefix, { startKey, limit, ...revision });
  const list = await store.list(prefix, {
    startKey: startKey.startsWith(prefix) ? startKey : prefix,
    ...revision,
  });
  return { ...(await pick(request, list.entries, includes)), revision: list.revision };
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

async function pick(
  request: Request,
  all: readonly Entry[],
  includes: (key: string) => boolean = () => true,
): Promise<Omit<Found, 'revision'>> {
  let count = 0;
  const requested: Entry[] = [];
  await eachInSlices(all, (entry) => {
    if (!includes(entry.key)) return;
    count++;
    if (isWithin(request, entry)) requested.push(entry);
  });
  const compare = comparison(request);
  if (compare) await finishInSlices(sortInPasses(requested, compare), createPacer());
  const entries = request.limit > 0 ? requested.slice(0, request.limit) : requested;
  return { entries, count, more: entries.length < requested.length };
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

/** Returns the order of the entries; undefined for that of a store. */
function comparison({ sortOrder, sortTarget }: Request): ((a: Entry, b: Entry) => number) | undefined {
  const compare = comparisons[sortTarget];
  // etcd sorts ascending if a target but no order is set.
  if (!compare || (sortOrder === none && sortTarget === keyTarget)) return undefined;
  return sortOrder === descending ? (a, b) => compare(b, a) : compare;
}

/** Converts an entry to etcd's format. */
export function keyValue(entry: Entry, keysOnly = false): MessageDraft<'KeyValue'> {
  const { key, createRevision, modRevision, version = 1, value } = entry;
  const kv = { key: keyBytes(key), createRevision, modRevision, version };
  return keysOnly ? kv : { ...kv, value };
}
