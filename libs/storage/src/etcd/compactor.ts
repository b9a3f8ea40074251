import type { EtcdClient } from './client.ts';
import { keyBytes } from './keys.ts';

// Key and value are kube-apiserver's, so that both can share a cluster: apiserver
// pkg/storage/etcd3/compact.go
const recordKey = keyBytes('compact_rev_key');
const versionTarget = 0;

/**
 * Compacts a cluster periodically to the revision of one interval ago. Of all compactors on a cluster, the
 * one that finds the record at its last known version compacts. The others learn the new version and wait for
 * an interval.
 */
export class Compactor {
  readonly #client: EtcdClient;
  readonly #timer: NodeJS.Timeout | undefined;
  #version = 0;
  #revision = 0;

  constructor(client: EtcdClient, milliseconds: number) {
    this.#client = client;
    if (milliseconds <= 0) return;
    // A failed compaction is harmless: the next round tries again.
    this.#timer = setInterval(() => void this.#round().catch(() => undefined), milliseconds).unref();
  }

  close(): void {
    clearInterval(this.#timer);
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
    this.#version = succeeded ? this.#version + 1 : (responses[0]?.responseRange?.kvs[0]?.version ?? 0);
    if (succeeded && revision > 0) await this.#client.call('KV', 'Compact', { revision }, false);
  }
}
