import { systemClock } from '@annex/runtime';
import { KindRegistry } from '@annex/kinds';
import { describe, expect, it } from 'vitest';
import { crdOf, versionOf, withProperties } from '../crd.fixture.ts';
import type { Crd } from '../crd/crd.ts';
import { renamingConverter } from '../served/converter.ts';
import { ServedCrds } from '../served/served-crds.ts';
import { customDiscovery } from './discovery.ts';
import { customDocuments } from './documents.ts';

function accepted(crd: object, uid = 'u'): Crd {
  const made = structuredClone(crd) as Crd;
  const names = { singular: 'widget', listKind: 'WidgetList', ...made.spec.names };
  made.metadata = { ...made.metadata, uid, generation: 1 };
  made.status = {
    conditions: [{ type: 'NamesAccepted', status: 'True' }],
    acceptedNames: names,
    storedVersions: ['v1'],
  };
  return made;
}

function publish(...crds: Crd[]) {
  const kinds = new KindRegistry();
  const served = new ServedCrds(kinds, () => renamingConverter, systemClock);
  const source = customDiscovery(kinds, customDocuments(kinds, served));
  for (const crd of crds) served.put(crd);
  return { source, served };
}

describe('the discovery of custom resources', () => {
  it('VER-014 VER-015 VER-022 lists served versions by priority, with kube verbs and full type names', async () => {
    const versions = [
      versionOf({ name: 'v1beta1', storage: false }),
      versionOf(),
      versionOf({ name: 'v2', served: false }),
    ];
    const { source } = publish(accepted(crdOf({ versions }, {})));
    const [group] = await source.groups();
    expect(group?.metadata.name).toBe('example.com');
    expect(group?.versions.map((version) => version.version)).toEqual(['v1', 'v1beta1']);
    expect(group?.versions[0]?.resources).toEqual([
      {
        resource: 'widgets',
        responseKind: { group: 'example.com', version: 'v1', kind: 'Widget' },
        scope: 'Namespaced',
        singularResource: 'widget',
        verbs: ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'],
      },
    ]);
  });

  it('CAT-001 CRD-013 STA-002 SCA-001 lists categories, short names and subresources', async () => {
    const scale = { specReplicasPath: '.spec.n', statusReplicasPath: '.status.n' };
    const crd = crdOf(
      { names: { shortNames: ['w'], categories: ['all'] } },
      { subresources: { status: {}, scale } },
    );
    const [group] = await publish(accepted(crd)).source.groups();
    const verbs = ['get', 'patch', 'update'];
    expect(group?.versions[0]?.resources[0]).toMatchObject({
      shortNames: ['w'],
      categories: ['all'],
      subresources: [
        {
          subresource: 'status',
          responseKind: { group: 'example.com', version: 'v1', kind: 'Widget' },
          verbs,
        },
        { subresource: 'scale', responseKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' }, verbs },
      ],
    });
  });
});

describe('the documents of custom resources', () => {
  const path = 'apis/example.com/v1';

  it('OAS-001 are one for each served version', async () => {
    const { source } = publish(accepted(crdOf()));
    expect(await source.openapiPaths()).toEqual(['apis/example.com/v1']);
    const document = (await source.openapi(path)) as { components: { schemas: object }; paths: object };
    expect(Object.keys(document.components.schemas)).toEqual(
      expect.arrayContaining([
        'com.example.v1.Widget',
        'com.example.v1.WidgetList',
        'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta',
        'io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions',
      ]),
    );
    expect(Object.keys(document.paths)).toContain(
      '/apis/example.com/v1/namespaces/{namespace}/widgets/{name}',
    );
  });

  it('change when their CRD changes, and only then', async () => {
    const { source, served } = publish(accepted(crdOf()));
    const [before, hash] = [await source.openapi(path), source.openapiHash?.(path)];
    served.put(accepted(crdOf({}, {}, 'example.org'), 'other'));
    expect(source.openapiHash?.(path)).toBe(hash);
    expect(await source.openapi(path)).toEqual(before);
    const changed = accepted(crdOf({}, { schema: withProperties({ a: { type: 'string' } }) }));
    changed.metadata.generation = 2;
    served.put(changed);
    expect(source.openapiHash?.(path)).not.toBe(hash);
    expect(JSON.stringify(await source.openapi(path))).toContain('"a":{"type":"string"}');
    served.remove('widgets.example.com');
    expect(await source.openapi(path)).toBeUndefined();
  });
});
