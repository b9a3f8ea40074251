import { expect, test } from 'vitest';
import { createMemoryStore } from './memory-store.ts';
import { prefixedStore } from './prefixed-store.ts';
import { storeContract } from './store.contract.ts';

storeContract('memory, under another prefix', {
  open: async () => prefixedStore(createMemoryStore(), '/tenants/a/'),
});

test('stores with different prefixes share a store without seeing each other', async () => {
  const shared = createMemoryStore();
  const [a, b] = [prefixedStore(shared, '/tenants/a/'), prefixedStore(shared, '/tenants/b/')];
  await a.create('/registry/pods/default/one', Buffer.from('of a'));
  await b.create('/registry/pods/default/one', Buffer.from('of b'));
  const keysOf = async (store: typeof a, prefix: string) =>
    (await store.list(prefix)).entries.map(({ key }) => key);
  expect(await keysOf(shared, '/')).toEqual(['/tenants/a/pods/default/one', '/tenants/b/pods/default/one']);
  expect(await keysOf(a, '/registry/')).toEqual(['/registry/pods/default/one']);
  await shared.close();
});

test('the own prefix needs no translation', async () => {
  const store = createMemoryStore();
  expect(prefixedStore(store, '/registry/')).toBe(store);
  await store.close();
});

test('keys outside of the registry are not stored', async () => {
  const store = prefixedStore(createMemoryStore(), '/a/');
  await expect(store.get('/other/key')).rejects.toThrow('does not begin with /registry/');
  await store.close();
});
