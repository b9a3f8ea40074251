import { type Entry, type NewEntry, type Store, StoreError } from '../store.ts';
import { status } from '@grpc/grpc-js';
import { CallFailure, unsupported } from './failures.ts';
import { requestKey } from './keys.ts';
import type { LeaseTable } from './lease-table.ts';
import { maxTxnOperations, maxWriteBytes } from './limits.ts';
import type { Message, MessageDraft } from './messages.ts';
import { keyValue, range } from './range-service.ts';

type Compare = Message<'Compare'>;
type Operation = Message<'RequestOp'>;

/**
 * The transactions of kube-apiserver: if the comparison with a key succeeds, put or delete that key,
 * otherwise read it. Other transactions are refused with the name of the unsupported field. The write is
 * conditional on the compared revision, and retried after a concurrent write.
 */
export class TxnService {
  readonly #store: Store;
  readonly #leases: LeaseTable;

  constructor(store: Store, leases: LeaseTable) {
    this.#store = store;
    this.#leases = leases;
  }

  async txn(request: Message<'TxnRequest'>): Promise<MessageDraft<'TxnResponse'>> {
    if (request.compare.length > 1 && this.#store.createAll !== undefined)
      return await this.#createAll(request);
    const { compare, success, failure } = supported(request);
    for (;;) {
      const { entry, revision } = await this.#store.get(requestKey(compare.key));
      if (!compares(compare, entry)) return this.#failure(failure, revision);
      const done = await this.#attempt(success, entry);
      if (done)
        return {
          header: { revision: done.revision ?? revision },
          succeeded: true,
          responses: [done.response],
        };
    }
  }

  /** Creates keys, if none of them exists. */
  async #createAll(request: Message<'TxnRequest'>): Promise<MessageDraft<'TxnResponse'>> {
    const entries = newEntries(request);
    const revision = await this.#store.createAll!(entries);
    if (revision === undefined)
      return { header: { revision: await this.#store.currentRevision() }, succeeded: false, responses: [] };
    const header = { revision };
    return { header, succeeded: true, responses: entries.map(() => ({ responsePut: { header } })) };
  }

  async put(request: Message<'PutRequest'>): Promise<MessageDraft<'PutResponse'>> {
    for (;;) {
      const { entry } = await this.#store.get(requestKey(request.key));
      const done = await this.#attempt({ requestPut: request }, entry);
      if (done) return { header: { revision: done.revision! }, ...done.response.responsePut };
    }
  }

  async deleteRange(request: Message<'DeleteRangeRequest'>): Promise<MessageDraft<'DeleteRangeResponse'>> {
    if (request.rangeEnd.length > 0) throw unsupported('DeleteRangeRequest.range_end');
    for (;;) {
      const { entry, revision } = await this.#store.get(requestKey(request.key));
      const done = await this.#attempt({ requestDeleteRange: request }, entry);
      if (done)
        return { header: { revision: done.revision ?? revision }, ...done.response.responseDeleteRange };
    }
  }

  /** Executes one operation on a key with this expected entry; undefined if the key has another one. */
  async #attempt(operation: Partial<Operation>, entry: Entry | undefined): Promise<Done | undefined> {
    try {
      if (operation.requestPut) return await this.#put(operation.requestPut, entry);
      return await this.#delete(operation.requestDeleteRange!, entry);
    } catch (error) {
      if (error instanceof StoreError && overtaken.has(error.code)) return undefined;
      throw error;
    }
  }

  async #put(request: Message<'PutRequest'>, entry: Entry | undefined): Promise<Done> {
    if (request.ignoreValue) throw unsupported('PutRequest.ignore_value');
    if (request.ignoreLease) throw unsupported('PutRequest.ignore_lease');
    const key = requestKey(request.key);
    if (request.key.byteLength + request.value.byteLength > maxWriteBytes)
      throw new CallFailure(status.INVALID_ARGUMENT, 'etcdserver: request is too large');
    const lease = Number(request.lease);
    const options = lease ? { ttlSeconds: this.#leases.remaining(lease) } : {};
    const revision = entry
      ? await this.#store.update(key, request.value, entry.modRevision, options)
      : await this.#store.create(key, request.value, options);
    if (lease) this.#leases.attach(lease, key, revision);
    const prevKv = request.prevKv && entry ? { prevKv: keyValue(entry) } : {};
    return { revision, response: { responsePut: { header: { revision }, ...prevKv } } };
  }

  async #delete(request: Message<'DeleteRangeRequest'>, entry: Entry | undefined): Promise<Done> {
    if (!entry) return { response: { responseDeleteRange: { deleted: 0 } } };
    const { revision } = await this.#store.delete(entry.key, entry.modRevision);
    const prevKvs = request.prevKv ? [keyValue(entry)] : [];
    return { revision, response: { responseDeleteRange: { header: { revision }, deleted: 1, prevKvs } } };
  }

  async #failure(
    failure: Message<'RangeRequest'> | undefined,
    revision: number,
  ): Promise<MessageDraft<'TxnResponse'>> {
    if (!failure) return { header: { revision }, succeeded: false, responses: [] };
    const { revision: seen, bytes } = await range(this.#store, failure);
    return { header: { revision: seen }, succeeded: false, responses: [{ responseRange: bytes }] };
  }
}

interface Done {
  /** Absent if nothing changed. */
  revision?: number;
  response: MessageDraft<'ResponseOp'>;
}

const overtaken = new Set(['exists', 'conflict', 'notFound']);

/** Returns the keys of a transaction that creates all of them. Other transactions with many keys are refused. */
function newEntries({ compare: compares, success: successes, failure }: Message<'TxnRequest'>): NewEntry[] {
  checkOperations(compares, successes, failure);
  if (failure.length > 0) throw unsupported('TxnRequest.failure with many keys');
  if (compares.length !== successes.length)
    throw unsupported('TxnRequest.success on other keys than compared');
  const keys = new Set<string>();
  return successes.map(({ requestPut: put }, i) => {
    const compare = compares[i]!;
    const isCreation =
      compare.target === createTarget && compare.result === 0 && Number(compare.createRevision) === 0;
    if (!put || !isCreation || compare.rangeEnd.length > 0 || Number(put.lease) !== 0)
      throw unsupported('TxnRequest with many keys that does not only create them');
    if (Buffer.compare(put.key, compare.key) !== 0)
      throw unsupported('TxnRequest.success on a key that is not compared');
    const key = requestKey(put.key);
    if (keys.has(key))
      throw new CallFailure(status.INVALID_ARGUMENT, 'etcdserver: duplicate key given in txn request');
    keys.add(key);
    return { key, value: put.value };
  });
}

function checkOperations(...lists: (readonly unknown[])[]): void {
  if (Math.max(...lists.map(({ length }) => length)) > maxTxnOperations)
    throw new CallFailure(status.INVALID_ARGUMENT, 'etcdserver: too many operations in txn request');
}

function supported({ compare: compares, success: successes, failure: failures }: Message<'TxnRequest'>) {
  checkOperations(compares, successes, failures);
  const [compare] = compares;
  const [success] = successes;
  const [failure] = failures;
  if (!compare || compares.length > 1) throw unsupported(`TxnRequest.compare with ${compares.length} terms`);
  if (!success || successes.length > 1)
    throw unsupported(`TxnRequest.success with ${successes.length} operations`);
  if (failures.length > 1) throw unsupported(`TxnRequest.failure with ${failures.length} operations`);
  if (compare.rangeEnd.length > 0) throw unsupported('Compare.range_end');
  if (compare.target === leaseTarget) throw unsupported('Compare.lease');
  const write = success.requestPut ?? success.requestDeleteRange;
  if (!write) throw unsupported('TxnRequest.success with request_range or request_txn');
  if (success.requestDeleteRange && success.requestDeleteRange.rangeEnd.length > 0) {
    throw unsupported('DeleteRangeRequest.range_end');
  }
  if (failure && !failure.requestRange) throw unsupported('TxnRequest.failure other than request_range');
  if (Buffer.compare(write.key, compare.key) !== 0)
    throw unsupported('TxnRequest.success on a key that is not compared');
  return { compare, success, failure: failure?.requestRange };
}

const createTarget = 1;
const leaseTarget = 4;

const targets: ((entry: Entry | undefined, compare: Compare) => number)[] = [
  (entry, { version = 0 }) => (entry ? (entry.version ?? 1) : 0) - version,
  (entry, { createRevision = 0 }) => (entry?.createRevision ?? 0) - createRevision,
  (entry, { modRevision = 0 }) => (entry?.modRevision ?? 0) - modRevision,
  // As in etcd, the value of an absent key compares with nothing.
  (entry, { value }) => (entry ? Buffer.compare(entry.value, value ?? new Uint8Array(0)) : NaN),
];

const results: ((difference: number) => boolean)[] = [
  (difference) => difference === 0,
  (difference) => difference > 0,
  (difference) => difference < 0,
  (difference) => difference < 0 || difference > 0,
];

function compares(compare: Compare, entry: Entry | undefined): boolean {
  const target = targets[compare.target];
  const result = results[compare.result];
  if (!target || !result) throw unsupported('Compare.target or Compare.result of this value');
  return result(target(entry, compare));
}
