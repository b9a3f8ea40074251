import type { EtcdClient } from './client.ts';
import { keyBytes, prefixEnd } from './keys.ts';

/**
 * Decides whether progress responses of the server are reliable. Before etcd 3.4.31 and 3.5.13, progress
 * could overtake events: https://github.com/etcd-io/etcd/issues/15220. For those versions the keys are
 * compared: the prefix is unchanged if no key is newer than what was delivered and their number is the same.
 */
export class ProgressTrust {
  readonly #client: EtcdClient;
  #trusted: Promise<boolean> | undefined;

  constructor(client: EtcdClient) {
    this.#client = client;
  }

  async settled(prefix: string, delivered: number, progress: number): Promise<boolean> {
    try {
      this.#trusted ??= this.#isTrusted();
      return (await this.#trusted) || (await this.#isUnchanged(prefix, delivered, progress));
    } catch {
      // Unreachable, or compacted since: the watch itself reports the error.
      this.#trusted = undefined;
      return false;
    }
  }

  async #isTrusted(): Promise<boolean> {
    const { version } = await this.#client.call('Maintenance', 'Status', {}, true);
    const [major = 0, minor = 0, patch = 0] = version.split('.').map((part) => parseInt(part, 10));
    if (major !== 3) return major > 3;
    return minor > 5 || (minor === 5 && patch >= 13) || (minor === 4 && patch >= 31);
  }

  async #isUnchanged(prefix: string, delivered: number, progress: number): Promise<boolean> {
    const key = keyBytes(prefix);
    const range = { key, rangeEnd: prefixEnd(key) };
    const [newer, before] = await Promise.all([
      this.#client.call(
        'KV',
        'Range',
        { ...range, revision: progress, keysOnly: true, minModRevision: delivered + 1 },
        true,
      ),
      this.#client.call('KV', 'Range', { ...range, revision: delivered, countOnly: true }, true),
    ]);
    return newer.kvs.length === 0 && newer.count === before.count;
  }
}
