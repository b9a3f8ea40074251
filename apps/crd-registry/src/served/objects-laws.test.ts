import { parseGroupVersion, type JsonObject, type KubeObject } from '@annex/machinery';
import { samples, schemaCases } from '@annex/testkit';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { crdOf, versionOf } from '../crd.fixture.ts';
import type { Crd } from '../crd/crd.ts';
import { crds, type Registry, serveRegistry } from '../registry.fixture.ts';
import { compileCrd } from './compiled-crd.ts';
import { storageKind } from './storage-kind.ts';

const named = (object: JsonObject, apiVersion: string): KubeObject => ({
  ...object,
  apiVersion,
  kind: 'Widget',
  // A manager who owns nothing, as of empty lists, is forgotten by the next apply.
  metadata: { name: 'a', labels: { l: 'v' } },
});

describe('the laws of custom objects', () => {
  it('another version of the same schema keeps an object, there and back', async () => {
    const law = fc.asyncProperty(schemaCases(), async ({ schema, fitting }) => {
      const versions = ['v1', 'v2'].map((name) =>
        versionOf({ name, storage: name === 'v1', schema: { openAPIV3Schema: schema as never } }),
      );
      const compiled = compileCrd({ ...crdOf({ versions }), status: {} } as Crd);
      const [v1, v2] = [storageKind(compiled, 'v1'), storageKind(compiled, 'v2')];
      const shown = await v2.fromStored(named(structuredClone(fitting), 'example.com/v1'));
      const again = await v2.fromStored(await v2.toStored(structuredClone(shown)));
      expect(again).toEqual(shown);
      expect(parseGroupVersion(again.apiVersion ?? '').version).toBe('v2');
      const first = await v1.fromStored(await v2.toStored(structuredClone(shown)));
      expect({ ...first, apiVersion: '' }).toEqual({ ...shown, apiVersion: '' });
    });
    await fc.assert(law, { numRuns: samples(150) });
  });

  describe('that are served', () => {
    let registry: Registry;
    beforeAll(async () => {
      registry = await serveRegistry();
    });
    afterAll(() => registry.stop());

    it('applying an object again, and writing an object that was read, changes nothing', async () => {
      const path = '/apis/example.com/v1/widgets/a';
      const apply = (object: object) =>
        registry.request('PATCH', `${path}?fieldManager=m`, object, 'application/apply-patch+yaml');
      const law = fc.asyncProperty(schemaCases(2), async ({ schema, fitting }) => {
        await registry.establish(
          crdOf({ scope: 'Cluster' }, { schema: { openAPIV3Schema: schema as never } }),
        );
        const applied = named(fitting, 'example.com/v1');
        try {
          const { code, message, body } = await apply(applied);
          expect([code, message]).toEqual([201, '']);
          expect((await apply(applied)).body).toEqual(body);
          const read = (await registry.request('GET', path)).body;
          expect(read).toEqual(body);
          expect((await registry.request('PUT', path, read)).body).toEqual(read);
        } finally {
          await registry.request('DELETE', `${crds}/widgets.example.com`);
          await registry.until('widgets.example.com', (crd) => crd === undefined);
        }
      });
      await fc.assert(law, { numRuns: samples(12) });
    });
  });
});
