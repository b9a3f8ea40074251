import { Buffer } from 'node:buffer';
import type { CustomKind, PublishedKind, ResourceDiscovery } from '@annex/kinds';
import type { JsonObject } from '@annex/machinery';
import { samples } from '@annex/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { customOpenApi } from './custom-documents.ts';
import type { LazyDocument } from './published-documents.ts';
import { v2Forms, type V2Type } from './v2-forms.ts';
import { V2Merger } from './v2-merge.ts';

const allVerbs = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
const schema: JsonObject = {
  type: 'object',
  properties: { spec: { type: 'object', properties: { size: { type: 'integer', default: 1 } } } },
};

/** What differs from a namespaced kind `Thing` of `shop.example.com`. */
interface Differences extends Partial<PublishedKind> {
  scope?: ResourceDiscovery['scope'];
  verbs?: string[];
  subresources?: ('status' | 'scale')[];
  isServed?: boolean;
}

function custom(differences: Differences = {}): CustomKind {
  const {
    scope = 'Namespaced',
    verbs = allVerbs,
    subresources = [],
    isServed = true,
    ...names
  } = differences;
  const kind = names.kind ?? 'Thing';
  const published: PublishedKind = {
    group: 'shop.example.com',
    version: 'v1',
    kind,
    listKind: `${kind}List`,
    plural: `${kind.toLowerCase()}s`,
    schema,
    ...names,
  };
  const responseKind = { group: published.group, version: published.version, kind };
  const resource: ResourceDiscovery = {
    resource: published.plural,
    responseKind,
    scope,
    singularResource: kind.toLowerCase(),
    verbs,
    subresources: subresources.map((subresource) => ({
      subresource,
      responseKind:
        subresource === 'scale' ? { group: 'autoscaling', version: 'v1', kind: 'Scale' } : responseKind,
      verbs: ['get', 'patch', 'update'],
    })),
  };
  return isServed ? { published, resource } : { published };
}

/** The document of kinds, from which the members are made, or which is converted as a whole. */
function documentOf(kinds: readonly CustomKind[], isWhole: boolean, hash = '1'): LazyDocument {
  const { group = '', version = '' } = kinds[0]?.published ?? {};
  const resources = kinds.flatMap(({ resource }) => resource ?? []);
  const published = kinds.map((one) => one.published);
  return {
    hash,
    load: () => customOpenApi({ group, version, resources, published }),
    ...(isWhole ? {} : { kinds: () => kinds }),
  };
}

const pathOf = ([first]: readonly CustomKind[]): string =>
  `apis/${first!.published.group}/${first!.published.version}`;

const bytesOf = async (merger: V2Merger, documents: [string, LazyDocument][]): Promise<Buffer> => {
  const { pieces, length } = await merger.merge(documents, [], 0);
  const bytes = Buffer.concat([...pieces]);
  expect(length).toBe(bytes.length);
  return bytes;
};

/** Expects the same bytes as from documents that are converted as a whole. */
async function expectConverted(versions: readonly (readonly CustomKind[])[]): Promise<void> {
  for (const type of Object.keys(v2Forms) as V2Type[]) {
    const documents = (isWhole: boolean) =>
      versions.map((kinds): [string, LazyDocument] => [pathOf(kinds), documentOf(kinds, isWhole)]);
    const [made, converted] = [
      await bytesOf(new V2Merger(type), documents(false)),
      await bytesOf(new V2Merger(type), documents(true)),
    ];
    expect(made.toString('latin1') === converted.toString('latin1'), `${type}: ${made.toString()}`).toBe(
      true,
    );
  }
}

const kinds: [what: string, differences: Differences][] = [
  ['a namespaced kind', {}],
  ['a cluster-wide kind', { scope: 'Cluster', kind: 'Place' }],
  ['a kind with subresources', { kind: 'Set', subresources: ['status', 'scale'] }],
  ['a kind with a status', { kind: 'Job', subresources: ['status'] }],
  ['a kind whose article is "an"', { kind: 'Apple' }],
  ['a kind that looks like a plural', { kind: 'Endpoints', plural: 'endpoints' }],
  ['a kind with an irregular list', { kind: 'Goose', listKind: 'Geese', plural: 'geese' }],
  ['a kind that is being deleted', { kind: 'Past', verbs: ['get', 'list', 'watch', 'delete'] }],
  ['a kind that is not served', { kind: 'Hidden', isServed: false }],
  ['a kind without a schema', { kind: 'Blob', schema: undefined }],
  ['a kind with selectable fields', { kind: 'Field', selectableFields: ['.spec.size'] }],
  ['a description that is not ASCII', { kind: 'Text', schema: { type: 'object', description: 'größer €' } }],
  ['a name like a part of a path', { kind: 'Namespace', plural: 'namespaces', scope: 'Cluster' }],
  ['a name like a marker', { kind: 'Qkindq', plural: 'qpluralq' }],
  ['names that are words of YAML', { kind: 'Null', listKind: 'True', plural: 'yes' }],
  ['a list with the name of another kind', { kind: 'Cat', listKind: 'ListCat' }],
  ['a name of several words', { kind: 'HTTPRoute-x', plural: 'http-routes' }],
];

const groups = [
  'shop.example.com',
  'g',
  'apps.api.k8s.io',
  'meta.pkg.apimachinery.k8s.io',
  'apimachinery2.k8s.io',
  'qgroupq.example',
  'a"b\\c.é',
];

describe('the merged document of custom kinds', () => {
  it.each(kinds)('describes %s as its own document does', async (_, differences) =>
    expectConverted([[custom(differences)]]),
  );

  it.each(groups)('describes a kind of the group %s as its own document does', async (group) =>
    expectConverted([[custom({ group, kind: 'Deployment' })], [custom({ group, version: 'v1beta1' })]]),
  );

  it.each([
    ['a kind before a document', [0, 1], 'object'],
    ['a document before a kind', [1, 0], 'string'],
  ])('uses the first of several definitions with a name: %s', async (_, order, type) => {
    const name = 'io.k8s.api.apps.v1.Same';
    const documents: [string, LazyDocument][] = [
      ['apis/a/v1', documentOf([custom({ group: 'apps.api.k8s.io', kind: 'Same' })], false)],
      ['apis/b/v1', { hash: '1', load: () => ({ components: { schemas: { [name]: { type: 'string' } } } }) }],
    ];
    const bytes = await bytesOf(
      new V2Merger('application/json'),
      order.map((i) => documents[i]!),
    );
    const { definitions } = JSON.parse(bytes.toString()) as { definitions: Record<string, JsonObject> };
    expect(definitions[name]?.type).toBe(type);
    expect(bytes.toString().split(`"${name}":`).length).toBe(2);
  });

  it('describes any kinds of any versions as their documents do', async () => {
    const kind = fc.constantFrom(...kinds.map(([, differences]) => differences));
    const version = fc.record({
      group: fc.constantFrom(...groups),
      version: fc.constantFrom('v1', 'v2alpha1', 'v10'),
      members: fc.uniqueArray(kind, { minLength: 1, maxLength: 6 }),
    });
    const any = fc.uniqueArray(version, {
      minLength: 1,
      maxLength: 4,
      selector: (one) => `${one.group}/${one.version}`,
    });
    await fc.assert(
      fc.asyncProperty(any, async (versions) => {
        await expectConverted(
          versions.map(({ group, version: name, members }) =>
            members.map((differences) => custom({ ...differences, group, version: name })),
          ),
        );
      }),
      { numRuns: samples(10) },
    );
  });

  it('converts only the kind that changed', async () => {
    const read: string[] = [];
    const counted = (kind: string): CustomKind => {
      const { published, resource } = custom({ kind });
      const seen = { ...published };
      Object.defineProperty(seen, 'schema', { enumerable: true, get: () => (read.push(kind), schema) });
      return { published: seen, resource };
    };
    const [a, b] = [counted('A'), counted('B')];
    const merger = new V2Merger('application/json');
    await bytesOf(merger, [['apis/shop.example.com/v1', documentOf([a, b], false)]]);
    read.length = 0;
    const after = await bytesOf(merger, [
      ['apis/shop.example.com/v1', documentOf([a, counted('B')], false, '2')],
    ]);
    expect(read).toEqual(['B']);
    expect(after.toString()).toContain('"com.example.shop.v1.A"');
  });

  it('can be read several times', async () => {
    const { pieces } = await new V2Merger('application/json').merge(
      [['apis/shop.example.com/v1', documentOf([custom()], false)]],
      [],
      0,
    );
    expect(Buffer.concat([...pieces]).equals(Buffer.concat([...pieces]))).toBe(true);
  });

  it('has names that extension API servers do not use again', async () => {
    const own: [string, LazyDocument][] = [['apis/shop.example.com/v1', documentOf([custom()], false)]];
    const path = '/apis/shop.example.com/v1/namespaces/{namespace}/things';
    const document = {
      paths: { [path]: { get: { tags: ['theirs'] } }, '/apis/ext.io/v1/x': {} },
      definitions: { 'com.example.shop.v1.Thing': { type: 'string' } },
    };
    const { pieces } = await new V2Merger('application/json').merge(own, [{ hash: '2', document }], 0);
    const text = Buffer.concat([...pieces]).toString();
    const merged = JSON.parse(text) as Record<'paths' | 'definitions', Record<string, JsonObject>>;
    expect(text.split(JSON.stringify(path)).length).toBe(2);
    expect(merged.paths[path]?.get).toMatchObject({ tags: ['shopExampleCom_v1'] });
    expect(Object.keys(merged.paths)).toContain('/apis/ext.io/v1/x');
  });
});
