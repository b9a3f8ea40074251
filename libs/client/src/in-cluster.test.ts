import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { inClusterConfig } from './in-cluster.ts';

const env = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' };

it('reads the files that are mounted into a Pod, and the token again when it changes', () => {
  const folder = mkdtempSync(join(tmpdir(), 'annex-pod-'));
  for (const name of ['token', 'ca.crt', 'namespace']) writeFileSync(join(folder, name), `${name}\n`);
  const config = inClusterConfig(env, folder);
  expect(config).toMatchObject({ server: 'https://10.0.0.1:443', ca: 'ca.crt\n', namespace: 'namespace' });
  expect(typeof config?.token === 'function' && config.token()).toBe('token');
  rmSync(folder, { recursive: true });
});

it('finds nothing outside of a Pod', () => {
  expect(inClusterConfig({}, '/')).toBeUndefined();
  expect(inClusterConfig(env, '/nowhere')).toBeUndefined();
});
