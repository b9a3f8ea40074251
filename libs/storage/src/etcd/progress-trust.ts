import type { EtcdClient } from './client.ts';
import { keyBytes, prefixEnd } from './keys.ts';

/**
 * Whether a progress answer of the server can be taken at its word. Before etcd 3.4.31 and 3.5.13 it could overtake
 * events: https://github.com/etcd-io/etcd/issues/15220. There the keys are compared instead: when none under the prefix
 * is newer than what was delivered and their number is the same, the state of the prefix is the same too.
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
      // Not reached, or compacted meanwhile: the watch itself will tell.
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
