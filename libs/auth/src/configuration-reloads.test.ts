import { createMetrics } from '@annex/runtime';
import { describe, expect, it } from 'vitest';
import { configurationReloads, hashOf, serverId } from './configuration-reloads.ts';

describe('the metrics of a configuration', () => {
  it('names the server as kube-apiserver does on the same host', () => {
    expect(hashOf(serverId('vm'))).toBe(
      'sha256:73095bbbe8f317654631b5a70d7c53951e472e19c3daa5b71a50958a5e82991b',
    );
  });

  it('names the text that counts, and no other', async () => {
    const metrics = createMetrics();
    const reloads = configurationReloads('authorization', metrics, { now: () => 5_000 });
    reloads.loaded('a');
    reloads.failed();
    reloads.reloaded('b');
    const lines = (await metrics.render()).split('\n').filter((line) => line.startsWith('apiserver_'));
    const server = `apiserver_id_hash="${hashOf(serverId())}"`;
    const name = 'apiserver_authorization_config_controller';
    const b = 'sha256:3e23e8160039594a33894f6564e1b1348bbd7a0088d42c4acb73eeaed59c009d';
    expect(lines).toEqual([
      `${name}_automatic_reloads_total{${server},status="failure"} 1`,
      `${name}_automatic_reloads_total{${server},status="success"} 1`,
      `${name}_automatic_reload_last_timestamp_seconds{${server},status="failure"} 5`,
      `${name}_automatic_reload_last_timestamp_seconds{${server},status="success"} 5`,
      `${name}_last_config_info{${server},hash="${b}"} 1`,
    ]);
  });
});
