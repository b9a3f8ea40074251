import { describe, expect, it } from 'vitest';
import { createFeed } from '../feed/feed.ts';
import { createMemoryStore } from '../memory-store.ts';
import { duringTurns, useShortSlices } from '../short-slices.fixture.ts';
import { storeContract } from '../store.contract.ts';
import type { Store } from '../store.ts';
import { encryptedStore } from './encrypted-store.ts';
import { aesCbc, aesGcm, identity, secretBox } from './providers.ts';
import recorded from './testdata/kube-apiserver.json' with { type: 'json' };
import { prefixTransformer, type Transformer } from './transformer.ts';

const key = (byte: number) => Buffer.alloc(32, byte);
const gcm = (name: string, byte: number) => ({ prefix: `${name}:`, transformer: aesGcm(key(byte)) });

const encrypted = (store: Store, transformer: Transformer): Store =>
  encryptedStore(store, { transformerOf: () => transformer, contextOf: (at) => at });

storeContract('memory, encrypted', {
  open: async () => encrypted(createMemoryStore(), prefixTransformer([gcm('a', 1)], 'missing')),
});

const at = '/registry/secrets/default/a';
const text = (value: Uint8Array | undefined) => Buffer.from(value ?? []).toString();

describe('an encrypted store', () => {
  it('keeps no readable bytes', async () => {
    const raw = createMemoryStore();
    await encrypted(raw, prefixTransformer([gcm('a', 1)], 'missing')).create(at, Buffer.from('blue'));
    const { entry } = await raw.get(at);
    expect(text(entry?.value)).toMatch(/^a:/);
    expect(text(entry?.value)).not.toContain('blue');
  });

  it('decrypts a list in slices', async () => {
    const raw = createMemoryStore();
    const store = encrypted(raw, prefixTransformer([gcm('a', 1)], 'missing'));
    for (let i = 0; i < 20; i++) await store.create(`${at}-${i}`, Buffer.from(`blue ${i}`));
    useShortSlices();
    const { turns: ofRaw } = await duringTurns(raw.list(at));
    const { result, turns } = await duringTurns(store.list(at));
    expect(result.entries.map(({ value }) => text(value)).toSorted()).toEqual(
      Array.from({ length: 20 }, (_, i) => `blue ${i}`).toSorted(),
    );
    expect(turns).toBeGreaterThan(ofRaw + 5);
  });

  it('reads what an earlier key encrypted as stale, and writes with the first key', async () => {
    const raw = createMemoryStore();
    const old = encrypted(raw, prefixTransformer([gcm('a', 1)], 'missing'));
    const revision = await old.create(at, Buffer.from('blue'));
    const store = encrypted(raw, prefixTransformer([gcm('b', 2), gcm('a', 1)], 'missing'));
    const { entry } = await store.get(at);
    expect([text(entry?.value), entry?.stale]).toEqual(['blue', true]);
    await store.update(at, Buffer.from('blue'), revision);
    expect((await store.get(at)).entry?.stale).toBeUndefined();
    expect(text((await raw.get(at)).entry?.value)).toMatch(/^b:/);
  });

  it('lists, watches and deletes entries that it cannot decrypt', async () => {
    const raw = createMemoryStore();
    const store = encrypted(raw, prefixTransformer([gcm('b', 2)], 'no matching prefix found'));
    const feed = createFeed(store);
    const cache = feed.objects('/registry/secrets/');
    await cache.waitFor();
    await raw.create(at, Buffer.from('a:unknown'));
    await store.create(`${at}b`, Buffer.from('{"metadata":{"name":"ab"}}'));
    const unreadable = { value: new Uint8Array(0), unreadable: 'no matching prefix found' };
    expect((await store.list('/registry/')).entries).toMatchObject([unreadable, { key: `${at}b` }]);
    await cache.waitFor();
    expect(cache.get(`${at}b`)?.value.object).toMatchObject({ metadata: { name: 'ab' } });
    expect(() => cache.get(at)?.value.object).toThrow(
      `unable to transform key "${at}": no matching prefix found`,
    );
    expect((await store.delete(at)).entry).toMatchObject(unreadable);
    await cache.waitFor();
    expect(cache.get(at)).toBeUndefined();
    await feed.close();
  });
});

describe.each<[name: string, transformer: Transformer, other: Transformer, error: string]>([
  ['AES-GCM', aesGcm(key(1)), aesGcm(key(2)), 'cipher: message authentication failed'],
  ['secretbox', secretBox(key(1)), secretBox(key(2)), 'output array was not large enough for encryption'],
])('%s', (_name, transformer, other, error) => {
  const value = Buffer.from('blue');
  const stored = transformer.toStorage(value, at);

  it('decrypts what it has encrypted', () => {
    const { value: read, stale } = transformer.fromStorage(stored, at);
    expect([text(read), stale]).toEqual(['blue', false]);
    expect(transformer.toStorage(value, at)).not.toEqual(stored);
  });

  it('refuses another key, and changed or missing bytes', () => {
    expect(() => other.fromStorage(stored, at)).toThrow(error);
    for (const i of stored.keys()) {
      const changed = Buffer.from(stored);
      changed[i] = 1 ^ (stored[i] ?? 0);
      expect(() => transformer.fromStorage(changed, at), `byte ${i}`).toThrow(error);
    }
    expect(() => transformer.fromStorage(stored.subarray(0, 8), at)).toThrow('shorter than the required');
    expect(() => transformer.fromStorage(stored.subarray(0, -1), at)).toThrow(error);
  });
});

describe('values that kube-apiserver stored', () => {
  const providers = [aesGcm, aesCbc, secretBox];
  it.each(recorded.values.map((value, i) => ({ ...value, create: providers[i]! })))(
    '$key is decrypted',
    ({ bytes, create, key: at }) => {
      const stored = Buffer.from(bytes, 'base64');
      const [prefix = ''] = /^k8s:enc:[a-z]+:v1:k1:/.exec(stored.toString('latin1')) ?? [];
      const transformers = [{ prefix, transformer: create(Buffer.alloc(32, 'a')) }];
      const { value, stale } = prefixTransformer(transformers, 'missing').fromStorage(stored, at);
      expect(stale).toBe(false);
      expect(JSON.parse(text(value))).toMatchObject({ color: 'blue', metadata: { name: 'small' } });
    },
  );
});

it('AES-GCM refuses a value that was copied from another key of the store', () => {
  const stored = aesGcm(key(1)).toStorage(Buffer.from('blue'), at);
  expect(() => aesGcm(key(1)).fromStorage(stored, `${at}b`)).toThrow('message authentication failed');
});

describe('AES-CBC', () => {
  const cbc = aesCbc(key(1));

  it.each(['', 'blue', 'x'.repeat(16), 'x'.repeat(33)])('decrypts %j', (value) => {
    expect(text(cbc.fromStorage(cbc.toStorage(Buffer.from(value), at), at).value)).toBe(value);
  });

  // A whole block of zeros, encrypted without padding.
  const zeros = cbc.toStorage(Buffer.alloc(16), at).subarray(0, 32);
  it.each<[what: string, bytes: Uint8Array, error: string]>([
    ['too few bytes', Buffer.alloc(15), 'the stored data was shorter than the required size'],
    ['a part of a block', Buffer.alloc(20), 'the stored data is not a multiple of the block size'],
    ['no block', Buffer.alloc(16), 'invalid PKCS7 data (empty or not padded)'],
    ['no padding', zeros, 'invalid PKCS7 data (empty or not padded)'],
  ])('refuses %s', (_what, bytes, error) => {
    expect(() => cbc.fromStorage(bytes, at)).toThrow(error);
  });
});

it('identity refuses encrypted values', () => {
  expect(text(identity.fromStorage(Buffer.from('k8s'), at).value)).toBe('k8s');
  expect(() => identity.fromStorage(Buffer.from('k8s:enc:aesgcm:v1:a:'), at)).toThrow(
    'identity transformer tried to read encrypted data',
  );
});

describe('transformers with prefixes', () => {
  const failing = (message: string): Transformer => ({
    fromStorage() {
      throw new Error(message);
    },
    toStorage: (value) => value,
  });

  it.each<[what: string, list: [prefix: string, transformer: Transformer][], error: string]>([
    ['no prefix matches', [['a:', identity]], 'missing'],
    ['identity is the only one', [['', identity]], 'missing'],
    ['one fails', [['k8s:', failing('x')]], 'x'],
    [
      'two fail alike',
      [
        ['k8s:', failing('x')],
        ['k8s:enc:', failing('x')],
      ],
      'x',
    ],
    [
      'two fail',
      [
        ['k8s:', failing('x')],
        ['k8s:enc:', failing('y')],
      ],
      '[x, y]',
    ],
  ])('report the error if %s', (_what, list, error) => {
    const transformers = list.map(([prefix, transformer]) => ({ prefix, transformer }));
    const bytes = Buffer.from('k8s:enc:');
    expect(() => prefixTransformer(transformers, 'missing').fromStorage(bytes, at)).toThrow(error);
  });

  it('try the next one with the same prefix', () => {
    const list = [
      { prefix: 'a:', transformer: failing('x') },
      { prefix: 'a:', transformer: identity },
    ];
    const { value, stale } = prefixTransformer(list, 'missing').fromStorage(Buffer.from('a:blue'), at);
    expect([text(value), stale]).toEqual(['blue', true]);
  });
});
