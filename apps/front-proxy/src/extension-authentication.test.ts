import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createCA } from '@annex/auth';
import type { ServerDeps } from '@annex/server';
import { authenticationKeeper, type Keeper } from './extension-authentication.ts';
import { makeDeps } from './forward.fixture.ts';

const key = '/registry/configmaps/kube-system/extension-apiserver-authentication';
const names = 'requestheader-allowed-names';
let deps: ServerDeps;
let keeper: Keeper | undefined;

beforeEach(() => (deps = makeDeps()));
afterEach(async () => {
  keeper?.stop();
  await deps.feed.close();
  await deps.store.close();
});

const stored = async () => {
  const { entry } = await deps.store.get(key);
  return entry === undefined ? undefined : JSON.parse(Buffer.from(entry.value).toString());
};

/** Maintains the ConfigMap with `data`; the returned function reports a change of the data. */
async function keep(data: () => Record<string, string>): Promise<() => void> {
  const listeners: (() => void)[] = [];
  keeper?.stop();
  keeper = authenticationKeeper(deps, {
    data,
    onChange(listener) {
      listeners.push(listener);
      return () => {};
    },
  });
  await keeper.start();
  return () => listeners.forEach((listener) => listener());
}

it('AGG-013 publishes the CAs that extension servers trust', async () => {
  const { cert } = await createCA('ca');
  await keep(() => ({ 'client-ca-file': cert, [names]: '["front-proxy-client"]' }));
  expect(await stored()).toMatchObject({
    kind: 'ConfigMap',
    metadata: { namespace: 'kube-system' },
    data: { 'client-ca-file': cert.replaceAll('\r', ''), [names]: '["front-proxy-client"]' },
  });
});

it('adds a new CA and keeps the old one until it expires', async () => {
  const day = 86_400_000;
  const over = await createCA('over', { now: Date.now() - 4_000 * day });
  const [old, fresh] = await Promise.all([createCA('old'), createCA('new')]);
  let present = `${over.cert}\n${old.cert}`;
  const changed = await keep(() => ({ 'requestheader-client-ca-file': present, [names]: '["a","b"]' }));
  const { metadata } = await stored();
  present = fresh.cert;
  changed();
  const both = (old.cert + fresh.cert).replaceAll('\r', '');
  await vi.waitFor(
    async () =>
      expect(await stored()).toMatchObject({ metadata, data: { 'requestheader-client-ca-file': both } }),
    { timeout: 20_000 },
  );
  await keep(() => ({ [names]: '["c","a"]' }));
  expect((await stored()).data).toEqual({ 'requestheader-client-ca-file': both, [names]: '["a","b","c"]' });
});

it('writes deleted data again', async () => {
  await keep(() => ({ [names]: '["a"]' }));
  const { entry } = await deps.store.get(key);
  await deps.store.delete(key, entry!.modRevision);
  await vi.waitFor(async () => expect(await stored()).toMatchObject({ data: { [names]: '["a"]' } }), {
    timeout: 20_000,
  });
});
