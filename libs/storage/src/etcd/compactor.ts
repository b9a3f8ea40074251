import type { EtcdClient } from './client.ts';
import { keyBytes } from './keys.ts';
import type { Message } from './messages.ts';

// Key and value are kube-apiserver's, so that both can share a cluster: apiserver
// pkg/storage/etcd3/compact.go
const recordKey = keyBytes('compact_rev_key');
const versionTarget = 0;

/** How often the others' compactions are looked up, in milliseconds. kube-apiserver forgets its snapshots as late (pkg/storage/cacher/compactor.go). */
const recordPollMs = 15_000;

/** The intervals of a compactor, in milliseconds. */
export interface CompactorIntervals {
  /** The age at which history is compacted, coordinated with all others on the cluster; 0 disables it. Default 5 minutes. */
  compactionMilliseconds?: number | undefined;
  /** The interval at which compactions by others are looked up. Default 15 seconds. */
  compactionRecordMilliseconds?: number | undefined;
}

/**
 * Compacts a cluster periodically to the revision of one interval ago. Of all compactors on a cluster, the
 * one that finds the record at its last known version compacts. The others learn the new version and wait for
 * an interval.
 */
export class Compactor {
  readonly #client: EtcdClient;
  readonly #timers: NodeJS.Timeout[] = [];
  #version = 0;
  #revision = 0;
  #compacted = 0;

  constructor(client: EtcdClient, intervals: CompactorIntervals) {
    this.#client = client;
    this.#every(intervals.compactionMilliseconds ?? 300_000, () => this.#round());
    this.#every(intervals.compactionRecordMilliseconds ?? recordPollMs, () => this.#readRecord());
  }

  /** The newest revision to which a compactor is known to have compacted. etcd does not report compactions by other programs. */
  get compacted(): number {
    return this.#compacted;
  }

  close(): void {
    for (const timer of this.#timers) clearInterval(timer);
  }

  async compact(revision: number): Promise<void> {
    await this.#client.call('KV', 'Compact', { revision }, false);
    this.#learn(revision);
  }

  #every(milliseconds: number, run: () => Promise<void>): void {
    // A failed run is harmless: the next one tries again.
    if (milliseconds > 0)
      this.#timers.push(setInterval(() => void run().catch(() => undefined), milliseconds).unref());
  }

  async #readRecord(): Promise<void> {
    const { kvs } = await this.#client.call('KV', 'Range', { key: recordKey }, true);
    this.#learn(recordedRevision(kvs[0]));
  }

  #learn(revision: number): void {
    this.#compacted = Math.max(this.#compacted, revision);
  }

  async #round(): Promise<void> {
    const { header, succeeded, responses } = await this.#client.call(
      'KV',
      'Txn',
      {
        compare: [{ result: 0, target: versionTarget, key: recordKey, version: this.#version }],
        success: [{ requestPut: { key: recordKey, value: Buffer.from(String(this.#revision)) } }],
        failure: [{ requestRange: { key: recordKey } }],
      },
      false,
    );
    const revision = this.#revision;
    this.#revision = header!.revision;
    const record = responses[0]?.responseRange?.kvs[0];
    this.#version = succeeded ? this.#version + 1 : (record?.version ?? 0);
    if (succeeded && revision > 0) await this.compact(revision);
    if (!succeeded) this.#learn(recordedRevision(record));
  }
}

function recordedRevision(record: Message<'KeyValue'> | undefined): number {
  const revision = Number(Buffer.from(record?.value ?? '').toString());
  return Number.isSafeInteger(revision) ? revision : 0;
}
