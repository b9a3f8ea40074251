import type { JsonObject } from '@annex/machinery';
import { describe, expect, it } from 'vitest';
import type { LazyDocument } from './published-documents.ts';
import type { Swagger } from './swagger.ts';
import { V2Merger } from './v2-merge.ts';

const kindsOf = (...groups: string[]): JsonObject => ({
  'x-kubernetes-group-version-kind': groups.map((group) => ({ group, kind: 'Thing', version: 'v1' })),
});

/** A local document of version 3. */
const own = (hash: string, schemas: JsonObject, paths: JsonObject = {}): LazyDocument => ({
  hash,
  load: () => ({ components: { schemas }, paths }),
});

/** A path with a definition as response and with a parameter. */
const responseing = (definition: string, parameter?: string): JsonObject => ({
  get: {
    ...(parameter === undefined ? {} : { parameters: [{ $ref: `#/parameters/${parameter}` }] }),
    responses: { 200: { description: 'OK', schema: { $ref: `#/definitions/${definition}` } } },
  },
});

const foreign = (hash: string, document: object) => ({ hash, document: document as Swagger });

interface Merged {
  paths: Record<string, JsonObject>;
  definitions: Record<string, JsonObject>;
  parameters: Record<string, JsonObject>;
}

async function merge(documents: LazyDocument[], ...others: ReturnType<typeof foreign>[]): Promise<Merged> {
  const paths = documents.map((document, i): [string, LazyDocument] => [`apis/g${i}/v1`, document]);
  const { pieces } = await new V2Merger('application/json').merge(paths, others, 0);
  return JSON.parse(Buffer.concat([...pieces]).toString()) as Merged;
}

const ours = own(
  '1',
  { 'io.a.Thing': { type: 'object', description: 'ours', ...kindsOf('') } },
  { '/apis/apps/v1/things': {} },
);

describe('the document of an extension API server in the merged document', () => {
  it('adds its paths, definitions and parameters', async () => {
    const merged = await merge(
      [ours],
      foreign('2', {
        paths: { '/apis/ext.io/v1/x': responseing('io.ext.X', 'pretty-1') },
        definitions: { 'io.ext.X': { type: 'string' } },
        parameters: { 'pretty-1': { name: 'pretty', in: 'query', type: 'string' } },
      }),
    );
    expect(Object.keys(merged.paths).sort()).toEqual(['/apis/apps/v1/things', '/apis/ext.io/v1/x']);
    expect(merged.paths['/apis/ext.io/v1/x']).toEqual(responseing('io.ext.X', 'pretty-1'));
    expect(Object.keys(merged.definitions).sort()).toEqual(['io.a.Thing', 'io.ext.X']);
    expect(merged.parameters).toEqual({ 'pretty-1': { name: 'pretty', in: 'query', type: 'string' } });
  });

  it('has conflicting definitions and parameters renamed, with their references', async () => {
    const theirs = (path: string, text: string) => ({
      paths: { [path]: responseing('io.a.Thing', 'p') },
      definitions: {
        'io.a.Thing': { type: 'object', description: text },
        'io.ext.List': { items: { $ref: '#/definitions/io.a.Thing' } },
      },
      parameters: { p: { name: text, in: 'query' } },
    });
    const merged = await merge(
      [ours],
      foreign('2', theirs('/apis/ext.io/v1/x', 'second')),
      foreign('3', theirs('/apis/ext.io/v2/x', 'third')),
      foreign('4', theirs('/apis/ext.io/v3/x', 'second')),
    );
    expect(merged.definitions).toEqual({
      'io.a.Thing': { type: 'object', description: 'ours', ...kindsOf('') },
      'io.a.Thing_v2': { type: 'object', description: 'second' },
      'io.a.Thing_v3': { type: 'object', description: 'third' },
      'io.ext.List': { items: { $ref: '#/definitions/io.a.Thing_v2' } },
      'io.ext.List_v2': { items: { $ref: '#/definitions/io.a.Thing_v3' } },
      // Compared with the original: its references have other names after the merge.
      'io.ext.List_v3': { items: { $ref: '#/definitions/io.a.Thing_v2' } },
    });
    expect(merged.parameters).toEqual({
      p: { name: 'second', in: 'query' },
      p_v2: { name: 'third', in: 'query' },
    });
    expect(merged.paths['/apis/ext.io/v1/x']).toEqual(responseing('io.a.Thing_v2', 'p'));
    expect(merged.paths['/apis/ext.io/v2/x']).toEqual(responseing('io.a.Thing_v3', 'p_v2'));
  });

  it('shares a definition that differs only in its kinds, which are merged', async () => {
    const theirs = { 'io.a.Thing': { description: 'ours', type: 'object', ...kindsOf('ext.io', '') } };
    const document = { paths: { '/apis/ext.io/v1/x': {} }, definitions: theirs };
    const merged = await merge([ours], foreign('2', document));
    expect(merged.definitions).toEqual({
      'io.a.Thing': { type: 'object', description: 'ours', ...kindsOf('', 'ext.io') },
    });
  });

  it('adds no existing path, and no definition that only such paths use', async () => {
    const first = { '/apis/apps/v1/things': responseing('io.ext.Thing') };
    const both = { ...first, '/apis/ext.io/v1/x': responseing('io.ext.X') };
    const definitions = { 'io.ext.Thing': {}, 'io.ext.X': {}, 'io.ext.Unused': {} };
    const merged = await merge(
      [ours],
      foreign('2', { paths: first, definitions: { 'io.ext.Lost': {} } }),
      foreign('3', { paths: both, definitions }),
    );
    expect(merged.paths['/apis/apps/v1/things']).toEqual({});
    expect(Object.keys(merged.definitions).sort()).toEqual(['io.a.Thing', 'io.ext.Unused', 'io.ext.X']);
  });

  it.each<[string, object]>([
    ['no paths', { definitions: { 'io.ext.X': {} } }],
    ['nothing', {}],
  ])('adds nothing with %s', async (_what, document) => {
    const merged = await merge([ours], foreign('2', document));
    expect(Object.keys(merged.definitions)).toEqual(['io.a.Thing']);
  });

  it('may have null members, which count as absent', async () => {
    const document = { paths: { '/apis/ext.io/v1/x': { get: null } }, definitions: { A: { type: null } } };
    const merger = new V2Merger('application/com.github.proto-openapi.spec.v2.v1.0+protobuf');
    const { pieces } = await merger.merge([], [foreign('2', document)], 0);
    expect(Buffer.concat([...pieces]).includes('/apis/ext.io/v1/x')).toBe(true);
  });

  it('is removed with its server', async () => {
    const merger = new V2Merger('application/json');
    const document = foreign('2', { paths: { '/apis/ext.io/v1/x': {} } });
    const textOf = async (...others: ReturnType<typeof foreign>[]) =>
      Buffer.concat([...(await merger.merge([['apis/a/v1', ours]], others, 0)).pieces]).toString();
    expect(await textOf(document)).toContain('/apis/ext.io/v1/x');
    expect(await textOf()).not.toContain('/apis/ext.io/v1/x');
  });

  it('does not cause unchanged local documents to be read again', async () => {
    let loads = 0;
    const counted: LazyDocument = { hash: '1', load: () => (loads++, ours.load()) };
    const merger = new V2Merger('application/json');
    const theirs = (description: string) =>
      foreign(description, {
        paths: { '/apis/ext.io/v1/x': {} },
        definitions: { 'io.a.Thing': { type: 'object', description } },
      });
    await merger.merge([['apis/a/v1', counted]], [theirs('b')], 0);
    const before = loads;
    const { pieces } = await merger.merge([['apis/a/v1', counted]], [theirs('c')], 0);
    expect(Buffer.concat([...pieces]).toString()).toContain('"description":"c"');
    expect(loads).toBe(before);
  });
});
