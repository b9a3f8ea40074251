import type { ImageEntry, Store } from '@annex/storage';

/** The content of a store at one moment. */
export interface StoreContent {
  /** Not lower than the revision of any entry. */
  readonly revision: number;
  readonly count: number;
  /** Iterates in key order. */
  entries(): Iterable<ImageEntry> | AsyncIterable<ImageEntry>;
}

/** The prefix of all objects. */
const root = '/registry/';
/** Objects of one response of the store. */
const pageLength = 500;
/** The time to live of Events, by default, in milliseconds. */
const eventMs = 3_600_000;
const events = ['/registry/events/', '/registry/events.k8s.io/events/'];
/** What processes write that run. */
const ephemeral = ['/registry/masterleases/', '/registry/nodeportclaims/'];

const isUnder = (prefixes: readonly string[], key: string): boolean =>
  prefixes.some((prefix) => key.startsWith(prefix));

/** True for what is of no use when the processes that wrote it have ended. */
export const isEphemeral = (key: string): boolean => isUnder(ephemeral, key);

/** Reads the content of a store that others write to, as of now. */
export async function contentOf(store: Store): Promise<StoreContent> {
  const { revision, count = 0 } = await store.list(root, { limit: 1 });
  return {
    // Keys of one transaction share a revision in etcd: all but one get another, later one.
    revision: revision + count,
    count,
    entries: () => entriesAt(store, revision),
  };
}

async function* entriesAt(store: Store, revision: number): AsyncGenerator<ImageEntry> {
  const used = new Set<number>();
  let last = revision;
  const now = Date.now();
  for await (const { key, value, createRevision, modRevision, version = 1 } of pages(store, revision)) {
    const isUsed = used.has(modRevision);
    used.add(modRevision);
    yield {
      key,
      value,
      createRevision,
      modRevision: isUsed ? ++last : modRevision,
      version,
      ...(isEphemeral(key) ? { expiresAt: now } : isUnder(events, key) ? { expiresAt: now + eventMs } : {}),
    };
  }
}

/** Reads all entries at a revision, or now. */
export async function* pages(store: Store, revision?: number) {
  for (let startKey = root; ;) {
    const options = { limit: pageLength, startKey, ...(revision === undefined ? {} : { revision }) };
    const { entries, more } = await store.list(root, options);
    yield* entries;
    if (!more) return;
    startKey = `${entries.at(-1)!.key}\0`;
  }
}
