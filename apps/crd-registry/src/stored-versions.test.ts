import { parseJson, type KubeObject } from '@annex/machinery';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { crdOf, versionOf } from './crd.fixture.ts';
import type { Crd } from './crd/crd.ts';
import { crds, hasCondition, type Registry, serveRegistry } from './registry.fixture.ts';

const definition = `${crds}/widgets.example.com`;
const widgets = (version: string) => `/apis/example.com/${version}/namespaces/default/widgets`;
const merge = 'application/merge-patch+json';
const versions = (stored: string) =>
  ['v1beta1', 'v1'].map((name) => versionOf({ name, storage: name === stored }));

let registry: Registry;
beforeEach(async () => {
  registry = await serveRegistry();
  await registry.establish(crdOf({ versions: versions('v1beta1') }));
  await create('v1beta1', 'first');
});
afterEach(() => registry.stop());

const create = async (version: string, name: string) => {
  const body = {
    apiVersion: `example.com/${version}`,
    kind: 'Widget',
    metadata: { name },
    host: 'localhost',
  };
  expect((await registry.request('POST', widgets(version), body)).code).toBe(201);
};

/** An object as its bytes are in the store, and the revision that wrote them. */
async function stored(name: string): Promise<{ apiVersion: string; revision: number }> {
  const { entry } = await registry.deps.store.get(`/registry/example.com/widgets/default/${name}`);
  const { apiVersion = '' } = parseJson(Buffer.from(entry?.value ?? '').toString()) as unknown as KubeObject;
  return { apiVersion, revision: entry?.modRevision ?? 0 };
}

async function storeIn(version: string): Promise<Crd> {
  const body = { spec: { versions: versions(version) } };
  const { body: changed } = await registry.request('PATCH', definition, body, merge);
  await registry.until(
    'widgets.example.com',
    (crd) => crd?.metadata.generation === changed.metadata.generation,
  );
  return changed as unknown as Crd;
}

describe('objects in the store', () => {
  it('STO-001 STO-009 STO-010 STO-014 are in the current storage version, which the status records', async () => {
    expect((await stored('first')).apiVersion).toBe('example.com/v1beta1');
    expect((await storeIn('v1')).status.storedVersions).toEqual(['v1beta1', 'v1']);
  });

  it('STO-002 STO-005 do not change when it changes, and when they are read in any version', async () => {
    const before = await stored('first');
    await storeIn('v1');
    for (const version of ['v1', 'v1beta1']) {
      const { body } = await registry.request('GET', `${widgets(version)}/first`);
      expect(body).toMatchObject({ apiVersion: `example.com/${version}`, host: 'localhost' });
      await registry.request('GET', widgets(version));
    }
    expect(await stored('first')).toEqual(before);
  });

  it('STO-003 STO-012 have both versions then: new objects have the new one, in whichever version they are sent', async () => {
    await storeIn('v1');
    await create('v1beta1', 'second');
    expect((await stored('second')).apiVersion).toBe('example.com/v1');
    expect((await stored('first')).apiVersion).toBe('example.com/v1beta1');
  });

  it.each([
    ['a PUT of the same object', 'PUT'],
    ['a patch that changes nothing', 'PATCH'],
  ])('STO-008 STO-013 STO-018 change the version by %s', async (_name, method) => {
    const before = await stored('first');
    await storeIn('v1');
    const path = `${widgets('v1beta1')}/first`;
    const read = (await registry.request('GET', path)).body;
    const body = method === 'PUT' ? read : {};
    const { code, body: written } = await registry.request(
      method,
      path,
      body,
      method === 'PUT' ? undefined : merge,
    );
    const after = await stored('first');
    expect([code, written.metadata.generation]).toEqual([200, 1]);
    expect(after.apiVersion).toBe('example.com/v1');
    expect(after.revision).toBeGreaterThan(before.revision);
    expect(written.metadata.resourceVersion).toBe(String(after.revision));
    await registry.request(
      method,
      path,
      method === 'PUT' ? written : {},
      method === 'PUT' ? undefined : merge,
    );
    expect((await stored('first')).revision).toBe(after.revision);
  });

  it('STO-015 never have a version that the status does not contain', async () => {
    for (const [i, version] of ['v1', 'v1beta1', 'v1'].entries()) {
      await storeIn(version);
      await create('v1', `more-${i}`);
    }
    const { storedVersions } = (await registry.request('GET', definition)).body
      .status as unknown as Crd['status'];
    const names = ['first', 'more-0', 'more-1', 'more-2'];
    const found = await Promise.all(names.map(async (name) => (await stored(name)).apiVersion));
    expect(found.map((apiVersion) => apiVersion.split('/')[1])).toEqual(['v1beta1', 'v1', 'v1beta1', 'v1']);
    expect(storedVersions).toEqual(['v1beta1', 'v1']);
    const body = { spec: { versions: [versionOf({ name: 'v2' })] } };
    const refused = await registry.request('PATCH', definition, body, merge);
    expect([refused.code, refused.body.message]).toEqual([
      422,
      expect.stringContaining(
        'status.storedVersions[0]: Invalid value: "v1beta1": missing from spec.versions',
      ),
    ]);
    await registry.until('widgets.example.com', hasCondition('Established', 'True'));
  });
});
