import { eachInSlices } from '@annex/runtime';
import {
  type Entry,
  type GetResult,
  type ListOptions,
  type ListResult,
  type NewEntry,
  type Store,
  StoreError,
  type WatchOptions,
  type WriteOptions,
} from '../store.ts';
import { EtcdClient, type EtcdClientOptions } from './client.ts';
import { Compactor, type CompactorIntervals } from './compactor.ts';
import { entryOf } from './entries.ts';
import { keyBytes, prefixEnd } from './keys.ts';
import { LeasePool } from './lease-pool.ts';
import type { Message, MessageDraft } from './messages.ts';
import { ProgressTrust } from './progress-trust.ts';
import { watchEtcd, type WatchSide } from './watch.ts';

/** Entries of one page: so many small ones are decoded in a few milliseconds. */
const pageLimit = 500;

/** A page that is too large is requested again with a part of its entries. */
const smallerBy = 8;
const createTarget = 1;
const modTarget = 2;

/** The options of a store on etcd. */
export interface EtcdStoreOptions extends EtcdClientOptions, CompactorIntervals {}

/** A store on an etcd cluster; its transactions are those of kube-apiserver. */
export class EtcdStore implements Store {
  readonly capabilities = { durable: true, shared: true, ttl: true, batches: true };
  readonly #client: EtcdClient;
  readonly #leases: LeasePool;
  readonly #closed = new AbortController();
  readonly #listeners = new Set<() => void>();
  readonly #trust: ProgressTrust;
  readonly #compactor: Compactor;
  #observedRevision = 0;

  constructor(options: EtcdStoreOptions) {
    this.#client = new EtcdClient(options);
    this.#leases = new LeasePool(this.#client);
    this.#trust = new ProgressTrust(this.#client);
    this.#compactor = new Compactor(this.#client, options);
  }

  get compacted(): number {
    return this.#compactor.compacted;
  }

  async currentRevision(): Promise<number> {
    return revisionOf(await this.#range({ key: Buffer.of(0), countOnly: true }));
  }

  async get(key: string, options: { revision?: number } = {}): Promise<GetResult> {
    const response = await this.#range({ key: keyBytes(key), revision: options.revision });
    const [kv] = response.kvs;
    return { ...(kv ? { entry: entryOf(kv) } : {}), revision: revisionOf(response) };
  }

  async list(prefix: string, options: ListOptions = {}): Promise<ListResult> {
    const rangeEnd = prefixEnd(keyBytes(prefix));
    const limit = options.limit || Infinity;
    const entries: Entry[] = [];
    let { revision } = options;
    let count: number | undefined;
    let key = keyBytes(options.startKey ?? prefix);
    let atOnce = pageLimit;
    for (;;) {
      const page = Math.min(atOnce, limit - entries.length);
      const response = await this.#range({ key, rangeEnd, revision, limit: page }).catch((error: unknown) => {
        if (page > 1 && error instanceof StoreError && error.code === 'tooLarge') return undefined;
        throw error;
      });
      if (response === undefined) {
        atOnce = Math.ceil(page / smallerBy);
        continue;
      }
      await eachInSlices(response.kvs, (kv) => entries.push(entryOf(kv)));
      revision ??= revisionOf(response);
      count ??= response.count;
      const last = response.kvs.at(-1);
      if (!response.more || !last || entries.length >= limit) {
        return { entries, revision, more: response.more, count };
      }
      // A server that repeats a page would never come to the end.
      if (Buffer.compare(last.key, key) < 0) throw invalidResponse('the keys are not in their order');
      key = Buffer.concat([last.key, Buffer.of(0)]);
    }
  }

  async create(key: string, value: Uint8Array, options: WriteOptions = {}): Promise<number> {
    const { succeeded, current, revision } = await this.#putIf(key, value, 0, options);
    if (succeeded) return revision;
    throw new StoreError('exists', `key ${key} exists`, current ? { current } : {});
  }

  async createAll(entries: readonly NewEntry[]): Promise<number | undefined> {
    const request = {
      compare: entries.map(({ key }) => ({
        result: 0,
        target: createTarget,
        key: keyBytes(key),
        createRevision: 0,
      })),
      success: entries.map(({ key, value }) => ({ requestPut: { key: keyBytes(key), value } })),
      failure: [],
    };
    const response = await this.#client.call('KV', 'Txn', request, false);
    const revision = revisionOf(response);
    this.#learn(revision);
    return response.succeeded ? revision : undefined;
  }

  async update(
    key: string,
    value: Uint8Array,
    expected: number,
    options: WriteOptions = {},
  ): Promise<number> {
    // etcd treats zero as "create".
    if (expected <= 0) throw refusedWrite(key, expected, (await this.get(key)).entry);
    const { succeeded, current, revision } = await this.#putIf(key, value, expected, options);
    if (succeeded) return revision;
    throw refusedWrite(key, expected, current);
  }

  async delete(key: string, expected?: number): Promise<{ entry: Entry; revision: number }> {
    return expected === undefined ? this.#deleteAny(key) : this.#deleteIf(key, expected);
  }

  watch(prefix: string, options: WatchOptions) {
    return watchEtcd(this.#side, prefix, options);
  }

  compact(revision: number): Promise<void> {
    return this.#compactor.compact(revision);
  }

  async close(): Promise<void> {
    this.#closed.abort();
    this.#compactor.close();
    this.#client.close();
  }

  readonly #side: WatchSide = {
    stream: () => this.#client.watch(),
    signal: this.#closed.signal,
    observedRevision: () => this.#observedRevision,
    onObserved: (call) => {
      this.#listeners.add(call);
      return () => this.#listeners.delete(call);
    },
    settled: (prefix, delivered, progress) => this.#trust.settled(prefix, delivered, progress),
  };

  async #putIf(key: string, value: Uint8Array, modRevision: number, { ttlSeconds }: WriteOptions) {
    const lease = ttlSeconds ? await this.#leases.leaseFor(ttlSeconds) : 0;
    return this.#transact(key, modRevision, { requestPut: { key: keyBytes(key), value, lease } });
  }

  /** Deletes the entry that is read first, again after a concurrent write: kine has no unconditional deletion. */
  async #deleteAny(key: string): Promise<{ entry: Entry; revision: number }> {
    for (;;) {
      const { entry } = await this.get(key);
      if (!entry) throw new StoreError('notFound', `key ${key} not found`);
      try {
        return await this.#deleteIf(key, entry.modRevision);
      } catch (error) {
        if (!(error instanceof StoreError && error.code === 'conflict')) throw error;
      }
    }
  }

  async #deleteIf(key: string, expected: number): Promise<{ entry: Entry; revision: number }> {
    if (expected <= 0) throw refusedWrite(key, expected, (await this.get(key)).entry);
    const success = { requestDeleteRange: { key: keyBytes(key), prevKv: true } };
    const { succeeded, current, revision, deleted } = await this.#transact(key, expected, success);
    if (!succeeded || !deleted) throw refusedWrite(key, expected, current);
    if (deleted.value.byteLength > 0) return { entry: deleted, revision };
    // kine responds without the value.
    return { entry: (await this.get(key, { revision: expected })).entry ?? deleted, revision };
  }

  /** Executes one operation if the key is at a revision, and reads the key otherwise. */
  async #transact(key: string, modRevision: number, success: MessageDraft<'RequestOp'>) {
    const bytes = keyBytes(key);
    const response = await this.#client.call(
      'KV',
      'Txn',
      {
        compare: [{ result: 0, target: modTarget, key: bytes, modRevision }],
        success: [success],
        failure: [{ requestRange: { key: bytes } }],
      },
      false,
    );
    const revision = revisionOf(response);
    this.#learn(revision);
    const [first] = response.responses;
    const current = first?.responseRange?.kvs[0];
    const deleted = first?.responseDeleteRange?.prevKvs[0];
    return {
      succeeded: response.succeeded,
      revision,
      current: current && entryOf(current),
      deleted: deleted && entryOf(deleted),
    };
  }

  async #range(request: MessageDraft<'RangeRequest'>): Promise<Message<'RangeResponse'>> {
    const response = await this.#client.call('KV', 'Range', request, true);
    this.#learn(revisionOf(response));
    return response;
  }

  #learn(revision: number): void {
    if (revision <= this.#observedRevision) return;
    this.#observedRevision = revision;
    for (const listener of this.#listeners) listener();
  }
}

function revisionOf({ header }: Pick<Message<'RangeResponse'>, 'header'>): number {
  if (!header) throw invalidResponse('it has no header');
  return header.revision;
}

const invalidResponse = (why: string): StoreError =>
  new StoreError('unavailable', `the response of etcd is invalid: ${why}`);

function refusedWrite(key: string, expected: number, current: Entry | undefined): StoreError {
  if (!current) return new StoreError('notFound', `key ${key} not found`);
  return new StoreError('conflict', `key ${key} is at revision ${current.modRevision}, not ${expected}`, {
    current,
  });
}
