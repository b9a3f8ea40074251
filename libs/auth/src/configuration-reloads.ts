import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import type { Clock, Metrics } from '@annex/runtime';

/** Metrics of a configuration file that is reloaded when it changes, under kube-apiserver's names. */
export interface ConfigurationReloads {
  /** Records the first text. */
  loaded(text: string): void;
  /** Records a changed text that is in use. */
  reloaded(text: string): void;
  /** Records a changed text that was rejected. */
  failed(): void;
}

/** Registers the metrics of one kind of configuration. */
export function configurationReloads(
  what: 'authentication' | 'authorization' | 'encryption',
  metrics: Pick<Metrics, 'counter' | 'gauge'>,
  clock: Pick<Clock, 'now'>,
): ConfigurationReloads {
  const named = (name: string) => `apiserver_${what}_config_controller_${name}`;
  const labels = ['status', 'apiserver_id_hash'] as const;
  const server = hashOf(serverId());
  const total = metrics.counter(
    named('automatic_reloads_total'),
    `Total number of automatic reloads of ${what} configuration split by status and apiserver identity.`,
    labels,
  );
  const last = metrics.gauge(
    named('automatic_reload_last_timestamp_seconds'),
    `Timestamp of the last automatic reload of ${what} configuration split by status and apiserver identity.`,
    labels,
  );
  const info = metrics.gauge(
    named('last_config_info'),
    `Information about the last applied ${what} configuration with hash as label, split by apiserver identity.`,
    ['apiserver_id_hash', 'hash'],
  );
  const count = (status: 'success' | 'failure') => {
    total.inc({ status, apiserver_id_hash: server });
    last.set({ status, apiserver_id_hash: server }, clock.now() / 1000);
  };
  const loaded = (text: string) => {
    info.clear();
    info.set({ apiserver_id_hash: server, hash: hashOf(text) }, 1);
  };
  return {
    loaded,
    reloaded(text) {
      count('success');
      loaded(text);
    },
    failed: () => count('failure'),
  };
}

/** Hashes a text that may be long or secret, in the format of kube-apiserver's metrics. */
export const hashOf = (text: string): string =>
  text === '' ? '' : `sha256:${createHash('sha256').update(text).digest('hex')}`;

const base32 = 'abcdefghijklmnopqrstuvwxyz234567';

/** The apiserver identity as in kube-apiserver: a hash of its host. Source: KEP 1965. */
export function serverId(host: string = hostname()): string {
  const hash = createHash('sha256');
  for (const part of [host, 'kube-apiserver']) {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(Buffer.byteLength(part));
    hash.update(length).update(part);
  }
  const digest = hash.digest().subarray(0, 16);
  const bits = [...digest].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const letters = bits.match(/.{1,5}/g) ?? [];
  return `apiserver-${letters.map((five) => base32[Number.parseInt(five.padEnd(5, '0'), 2)]).join('')}`;
}
