import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { issueClientCertificate, createCA } from '@annex/auth';
import { Client } from '@annex/client';
import { parseOptions } from '@annex/runtime';
import { tempFolder } from '@annex/testkit';
import { expect, it, vi } from 'vitest';
import { startApiServer } from './api-server.fixture.ts';
import { defineResource } from './define-resource.ts';
import { createExtensionServer } from './extension-server.ts';
import { extensionConflicts, extensionOptions } from './options.ts';
import { configuredTrust } from './trust-options.ts';

const boxes = defineResource({
  version: 'v1',
  kind: 'Box',
  plural: 'boxes',
  schema: { type: 'object', properties: {} },
});

it('AGG-025 proxies of the options replace those that the API server publishes', async () => {
  using folder = tempFolder('annex-trust-');
  const [api, own] = await Promise.all([startApiServer(), createCA('own proxies')]);
  const file = join(folder.path, 'proxies.crt');
  writeFileSync(file, own.cert);
  const flags = [`--requestheader-client-ca-file=${file}`, '--requestheader-username-headers=X-Own-User'];
  const parsed = parseOptions(extensionOptions, flags, {}, extensionConflicts());
  if (parsed.kind !== 'config') throw new Error(JSON.stringify(parsed));
  const server = await createExtensionServer({
    group: 'test.example.com',
    resources: [boxes],
    apiServer: api.config,
    certificate: { dir: folder.path, names: ['localhost'] },
    port: 0,
    trust: configuredTrust(parsed.config),
  });
  const status = async (by: typeof own, user: string, header?: string): Promise<number> => {
    const client = new Client({
      server: server.url.replace('127.0.0.1', 'localhost'),
      ca: readFileSync(join(folder.path, 'ca.crt'), 'utf8'),
      ...(await issueClientCertificate(by, { user })),
    });
    const path = '/apis/test.example.com/v1/namespaces/default/boxes';
    const { status } = await client.send({ path, headers: header ? { [header]: 'paul' } : {} });
    client.close();
    return status;
  };
  api.allowed.add('paul list').add('carl list');
  expect(await status(own, 'any-proxy', 'X-Own-User')).toBe(200);
  expect(await status(own, 'any-proxy', 'X-Remote-User')).toBe(401);
  expect(await status(api.proxyCa, 'proxy', 'X-Remote-User')).toBe(401);
  // Options that are not set stay those of the API server.
  expect(await status(api.clientCa, 'carl')).toBe(200);
  // The file is read again when it changes.
  const rotated = await createCA('other proxies');
  writeFileSync(file, rotated.cert);
  await vi.waitFor(async () => expect(await status(rotated, 'any-proxy', 'X-Own-User')).toBe(200), {
    timeout: 20_000,
  });
  expect(await status(own, 'any-proxy', 'X-Own-User')).toBe(401);
  await server.stop();
  await api.stop();
});
