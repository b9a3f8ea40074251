import type { JsonObject } from '@annex/machinery';
import { describe, expect, it } from 'vitest';
import { V2Merger } from './v2-merge.ts';
import type { LazyDocument } from './published-documents.ts';

const schema = (name: string, value: object): JsonObject =>
  ({ components: { schemas: { [name]: value } } }) as JsonObject;

const operation = (path: string, kind: string): JsonObject => ({
  [path]: {
    get: {
      operationId: `read ${path}`,
      responses: {
        200: {
          description: 'OK',
          content: { 'application/json': { schema: { $ref: `#/components/schemas/${kind}` } } },
        },
      },
    },
  },
});

const own = (hash: string, document: JsonObject): LazyDocument => ({ hash, load: () => document });
const foreign = (hash: string, document: unknown): LazyDocument => ({
  hash,
  within: '/apis/ext.io/',
  load: () => document as JsonObject,
});

interface Merged {
  paths: Record<string, { get: { responses: Record<string, { schema?: object }> } }>;
  definitions: Record<string, object>;
}

async function merge(...documents: [string, LazyDocument][]): Promise<Merged> {
  const { pieces } = await new V2Merger('application/json').merge(documents, 0);
  return JSON.parse(Buffer.concat(pieces).toString()) as Merged;
}

const ours: [string, LazyDocument] = [
  'apis/apps/v1',
  own('1', {
    ...schema('io.a.Thing', { type: 'object', description: 'ours' }),
    paths: operation('/apis/apps/v1/things', 'io.a.Thing'),
  }),
];

describe('the document of an extension server', () => {
  it('brings its own paths and definitions', async () => {
    const merged = await merge(ours, [
      'apis/ext.io/v1',
      foreign('2', {
        ...schema('io.ext.Thing', { type: 'string' }),
        paths: operation('/apis/ext.io/v1/things', 'io.ext.Thing'),
      }),
    ]);
    expect(Object.keys(merged.paths)).toEqual(['/apis/apps/v1/things', '/apis/ext.io/v1/things']);
    expect(Object.keys(merged.definitions)).toEqual(['io.a.Thing', 'io.ext.Thing']);
  });

  it('has a definition renamed that is another one of the same name, with what refers to it', async () => {
    const merged = await merge(
      ours,
      [
        'apis/ext.io/v1',
        foreign('2', {
          ...schema('io.a.Thing', { type: 'object', description: 'theirs' }),
          paths: operation('/apis/ext.io/v1/things', 'io.a.Thing'),
        }),
      ],
      ['apis/ext.io/v2', foreign('3', schema('io.a.Thing', { type: 'object', description: 'third' }))],
    );
    expect(merged.definitions).toEqual({
      'io.a.Thing': { type: 'object', description: 'ours' },
      'io.a.Thing_v2': { type: 'object', description: 'theirs' },
      'io.a.Thing_v3': { type: 'object', description: 'third' },
    });
    expect(merged.paths['/apis/ext.io/v1/things']?.get.responses['200']?.schema).toEqual({
      $ref: '#/definitions/io.a.Thing_v2',
    });
    expect(merged.paths['/apis/apps/v1/things']?.get.responses['200']?.schema).toEqual({
      $ref: '#/definitions/io.a.Thing',
    });
  });

  it('shares a definition that differs in nothing but the kinds that use it', async () => {
    const kinds = { 'x-kubernetes-group-version-kind': [{ group: 'ext.io', kind: 'Thing', version: 'v1' }] };
    const merged = await merge(ours, [
      'apis/ext.io/v1',
      foreign('2', schema('io.a.Thing', { type: 'object', description: 'ours', ...kinds })),
    ]);
    expect(Object.keys(merged.definitions)).toEqual(['io.a.Thing']);
  });

  it('describes no path of others, and none that somebody has', async () => {
    const merged = await merge(
      ours,
      [
        'apis/ext.io/v1',
        foreign('2', {
          paths: {
            ...operation('/apis/apps/v1/things', 'x'),
            ...operation('/apis/ext.io.evil/v1/x', 'x'),
            ...operation('/apis/ext.io/v1/a', 'first'),
          },
        }),
      ],
      ['apis/ext.io/v2', foreign('3', { paths: operation('/apis/ext.io/v1/a', 'second') })],
    );
    expect(Object.keys(merged.paths)).toEqual(['/apis/apps/v1/things', '/apis/ext.io/v1/a']);
    expect(merged.paths['/apis/ext.io/v1/a']?.get.responses['200']?.schema).toEqual({
      $ref: '#/definitions/first',
    });
  });

  it.each<[string, unknown]>([
    ['null where a schema should be', schema('io.ext.Thing', null as never)],
    ['a number where paths should be', { paths: 5 }],
    ['a path that is a text', { paths: { '/apis/ext.io/v1/x': 'x' } }],
    ['nothing', {}],
  ])('harms nobody with %s', async (_what, document) => {
    const merged = await merge(ours, ['apis/ext.io/v1', foreign('2', document)]);
    expect(Object.keys(merged.definitions)).toContain('io.a.Thing');
    expect(Object.keys(merged.paths)).toContain('/apis/apps/v1/things');
  });

  it('harms nobody where it cannot be had', async () => {
    const broken: LazyDocument = {
      hash: '2',
      within: '/apis/ext.io/',
      load: () => {
        throw new Error('gone');
      },
    };
    expect(Object.keys((await merge(ours, ['apis/ext.io/v1', broken])).definitions)).toEqual(['io.a.Thing']);
  });
});
