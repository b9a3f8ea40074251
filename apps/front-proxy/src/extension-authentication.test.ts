import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ServerDeps } from '@annex/server';
import { publishAuthentication } from './extension-authentication.ts';
import { makeDeps } from './forward.fixture.ts';

const key = '/registry/configmaps/kube-system/extension-apiserver-authentication';
let deps: ServerDeps;

beforeEach(() => (deps = makeDeps()));
afterEach(async () => {
  await deps.feed.close();
  await deps.store.close();
});

const stored = async () => JSON.parse(Buffer.from((await deps.store.get(key)).entry!.value).toString());

it('AGG-013 tells extension servers whom to trust', async () => {
  await publishAuthentication(deps, { 'client-ca-file': 'PEM' });
  expect(await stored()).toMatchObject({
    kind: 'ConfigMap',
    metadata: { namespace: 'kube-system' },
    data: { 'client-ca-file': 'PEM' },
  });
});

it('puts right what it says, and nothing else', async () => {
  await publishAuthentication(deps, { 'client-ca-file': 'OLD' });
  const { metadata } = await stored();
  await publishAuthentication(deps, { 'client-ca-file': 'NEW' });
  expect(await stored()).toMatchObject({ metadata, data: { 'client-ca-file': 'NEW' } });
});
