import { afterAll, beforeAll, expect, it } from 'vitest';
import { crdOf, withProperties } from '../crd.fixture.ts';
import { crds, type Registry, serveRegistry } from '../registry.fixture.ts';

let registry: Registry;
beforeAll(async () => {
  registry = await serveRegistry();
});
afterAll(() => registry.stop());

const widgets = '/apis/example.com/v1/widgets';
const merge = 'application/merge-patch+json';
const schemaWith = (size: object) =>
  withProperties({
    spec: { type: 'object', properties: { size: { type: 'integer', ...size } } },
    status: {
      type: 'object',
      default: {},
      properties: { phase: { type: 'string', default: 'New' } },
    },
  });

/** The object of the watch cache. */
const cached = (name: string) =>
  registry.deps.feed.objects('/registry/example.com/widgets/').get(`/registry/example.com/widgets/${name}`)
    ?.value;

const stored = async (name: string) => {
  const { entry } = await registry.deps.store.get(`/registry/example.com/widgets/${name}`);
  return JSON.parse(Buffer.from(entry?.value ?? '').toString()) as object;
};

it('DEF-007 defaults that reading adds are not stored before a write', async () => {
  await registry.establish(
    crdOf({ scope: 'Cluster' }, { schema: schemaWith({}), subresources: { status: {} } }),
  );
  const object = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'a' }, spec: {} };
  const created = (await registry.request('POST', widgets, object)).body;
  expect(created).toMatchObject({ spec: {}, status: { phase: 'New' } });
  expect(await stored('a')).not.toHaveProperty('status');

  const version = { name: 'v1', served: true, storage: true, subresources: { status: {} } };
  const schema = schemaWith({ default: 3 });
  const stricter = { spec: { versions: [{ ...version, schema }] } };
  await registry.request('PATCH', `${crds}/widgets.example.com`, stricter, merge);
  await registry.until('widgets.example.com', (crd) => JSON.stringify(crd).includes('"default":3'));
  const read = (await registry.request('GET', `${widgets}/a`)).body;
  expect(read).toMatchObject({ spec: { size: 3 }, status: { phase: 'New' } });
  expect(read.metadata.resourceVersion).toBe(created.metadata.resourceVersion);
  expect(await stored('a')).toMatchObject({ spec: {} });

  const written = (await registry.request('PATCH', `${widgets}/a`, {}, merge)).body;
  expect(written.metadata.resourceVersion).not.toBe(read.metadata.resourceVersion);
  expect(await stored('a')).toMatchObject({ spec: { size: 3 }, status: { phase: 'New' } });
});

it('an object that was changed is not decoded again: readers get the object that was written', async () => {
  const object = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'b' }, spec: { size: 1 } };
  await registry.request('POST', widgets, object);
  expect(cached('b')?.isDecoded).toBe(false);
  const patch = { metadata: { labels: { z: '1', a: '2' } }, spec: { size: 2 } };
  const written = (await registry.request('PATCH', `${widgets}/b`, patch, merge)).body;
  expect(cached('b')?.isDecoded).toBe(true);
  expect(JSON.parse(cached('b')?.json().toString() ?? '')).toEqual(written);
  const { resourceVersion: _, ...metadata } = written.metadata;
  expect(await stored('b')).toEqual({ ...written, metadata });
  expect((await registry.request('GET', `${widgets}/b`)).body).toEqual(written);
});

it('objects that were not read for a while are listed without decoding them, and decoded for a selector', async () => {
  const object = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'c' }, spec: {} };
  await registry.request('POST', widgets, object);
  // Defaults that reading adds are stored with the next write.
  await registry.request('PATCH', `${widgets}/c`, { metadata: { labels: { part: 'c' } } }, merge);
  const { items } = (await registry.request('GET', widgets)).body;
  cached('c')?.dropUnused();
  cached('c')?.dropUnused();
  expect((await registry.request('GET', widgets)).body.items).toEqual(items);
  expect(cached('c')?.isDecoded).toBe(false);
  const selected = (await registry.request('GET', `${widgets}?labelSelector=part%3Dc`)).body.items;
  expect(selected).toEqual(
    (items as { metadata: { name: string } }[]).filter((i) => i.metadata.name === 'c'),
  );
  expect(cached('c')?.isDecoded).toBe(true);
});
