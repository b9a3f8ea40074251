import { Buffer } from 'node:buffer';
import type { JsonObject } from '@annex/machinery';
import { builtinKinds, KindRegistry } from '@annex/kinds';
import { builtinDocuments } from './builtin-documents.ts';
import { customOpenApi } from './custom-documents.ts';
import { describe, expect, it } from 'vitest';
import { encodeOpenApiV2 } from './v2-protobuf.ts';
import { V2Merger } from './v2-merge.ts';
import { schemaToV2 } from './v2-schema.ts';
import { membersOfV2 } from './v2.ts';

function partsOfV2(document: JsonObject) {
  const parts: Record<'paths' | 'definitions' | 'parameters', JsonObject> = {
    paths: {},
    definitions: {},
    parameters: {},
  };
  for (const [section, name, value] of membersOfV2(document)) parts[section][name] = value;
  return parts;
}

describe('a schema in OpenAPI v2 (recording openapi-v2-lossy)', () => {
  it.each<[string, JsonObject, JsonObject]>([
    [
      'keeps validations',
      { type: 'string', pattern: '^a', minLength: 1 },
      { type: 'string', pattern: '^a', minLength: 1 },
    ],
    [
      'loses the type of nullable values',
      { type: 'string', nullable: true, description: 'n' },
      { description: 'n' },
    ],
    [
      'loses the contents of nullable values',
      { type: 'object', nullable: true, properties: { x: { type: 'string' } } },
      {},
    ],
    [
      'does not require the type of an embedded resource that keeps unknown fields',
      {
        type: 'object',
        required: ['spec', 'kind', 'apiVersion'],
        'x-kubernetes-embedded-resource': true,
        'x-kubernetes-preserve-unknown-fields': true,
      },
      {
        required: ['spec'],
        'x-kubernetes-embedded-resource': true,
        'x-kubernetes-preserve-unknown-fields': true,
      },
    ],
    ['loses junctors', { type: 'integer', anyOf: [{ minimum: 1 }], not: { enum: [1] } }, { type: 'integer' }],
    [
      'loses defaults',
      { type: 'integer', format: 'int32', default: 4 },
      { type: 'integer', format: 'int32' },
    ],
    [
      'refers to definitions',
      { description: 'd', allOf: [{ $ref: '#/components/schemas/a.B' }], default: {} },
      { description: 'd', $ref: '#/definitions/a.B' },
    ],
    [
      'has one type for an integer or a string',
      { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] },
      { type: 'string', format: 'int-or-string' },
    ],
    [
      'does not require nullable fields',
      {
        type: 'object',
        required: ['a', 'b'],
        properties: { a: { type: 'string', nullable: true }, b: { type: 'string' } },
      },
      { type: 'object', required: ['b'], properties: { a: {}, b: { type: 'string' } } },
    ],
    [
      'requires nothing of a map whose values may be null',
      { type: 'object', required: ['a'], additionalProperties: { type: 'string', nullable: true } },
      { type: 'object', additionalProperties: {} },
    ],
    [
      'requires fields that it does not show',
      {
        required: ['a'],
        properties: { a: { type: 'string', nullable: true } },
        'x-kubernetes-preserve-unknown-fields': true,
      },
      { required: ['a'], 'x-kubernetes-preserve-unknown-fields': true },
    ],
    [
      'shows only the metadata of a nullable embedded resource',
      {
        type: 'object',
        nullable: true,
        properties: { kind: { type: 'string' }, spec: { type: 'string' } },
        'x-kubernetes-embedded-resource': true,
      },
      { properties: { kind: { type: 'string' } }, 'x-kubernetes-embedded-resource': true },
    ],
    [
      'keeps the extensions of a reference',
      { allOf: [{ $ref: '#/components/schemas/a.B' }], 'x-kubernetes-map-type': 'atomic' },
      { $ref: '#/definitions/a.B', 'x-kubernetes-map-type': 'atomic' },
    ],
    [
      'keeps names like __proto__',
      { properties: JSON.parse('{"__proto__":{"type":"string"}}') as JsonObject },
      JSON.parse('{"properties":{"__proto__":{"type":"string"}}}') as JsonObject,
    ],
  ])('%s', (_, v3, v2) => expect(schemaToV2(v3)).toEqual(v2));

  it('OAS-004 shows only the kind of an object that preserves unknown fields', () => {
    const kinds = [{ group: 'g', kind: 'K', version: 'v1' }];
    const schema = {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      'x-kubernetes-group-version-kind': kinds,
      properties: { a: { type: 'string' } },
    };
    const { definitions } = partsOfV2({ components: { schemas: { K: schema } } });
    expect(definitions).toEqual({ K: { type: 'object', 'x-kubernetes-group-version-kind': kinds } });
  });
});

describe('the merged document', () => {
  it('has operations with a body, media types and their kind', async () => {
    const kinds = new KindRegistry();
    for (const kind of builtinKinds((group) => group === 'apps')) kinds.add(kind);
    const apps = await builtinDocuments(kinds, () => true).document('apis/apps/v1');
    const paths = partsOfV2(apps ?? {}).paths as Record<string, Record<string, JsonObject>>;
    const patch = paths['/apis/apps/v1/namespaces/{namespace}/deployments/{name}']?.patch;
    expect(patch).toMatchObject({
      operationId: 'patchAppsV1NamespacedDeployment',
      consumes: [
        'application/json-patch+json',
        'application/merge-patch+json',
        'application/strategic-merge-patch+json',
        'application/apply-patch+yaml',
      ],
      schemes: ['https'],
      'x-kubernetes-group-version-kind': { group: 'apps', version: 'v1', kind: 'Deployment' },
    });
    expect(patch?.parameters).toContainEqual({
      name: 'fieldValidation',
      in: 'query',
      description: expect.stringContaining('instructs the server') as string,
      type: 'string',
      uniqueItems: true,
    });
    expect(patch?.parameters).toContainEqual({ $ref: '#/parameters/body-78PwaGsr' });
    expect(patch?.parameters).toContainEqual({ $ref: '#/parameters/fieldManager-7c6nTn1T' });
  });

  it('OAS-007 has the paths of custom resources, with references to shared parameters', async () => {
    const discovery = { resource: 'as', scope: 'Namespaced', singularResource: 'a' } as const;
    const responseKind = { group: 'g', version: 'v1', kind: 'A' };
    const verbs = ['list', 'create'];
    const document = await customOpenApi({
      group: 'g',
      version: 'v1',
      resources: [{ ...discovery, responseKind, verbs }],
      published: [{ group: 'g', version: 'v1', kind: 'A', listKind: 'AList', plural: 'as' }],
    });
    const { paths, parameters, definitions } = partsOfV2(document);
    expect(Object.keys(definitions)).toEqual(expect.arrayContaining(['g.v1.A', 'g.v1.AList']));
    const collection = paths['/apis/g/v1/namespaces/{namespace}/as'] as Record<string, JsonObject>;
    expect(collection.parameters).toEqual([
      { $ref: '#/parameters/namespace-vgWSWtn3' },
      { $ref: '#/parameters/pretty-tJGM1-ng' },
    ]);
    expect(collection.get?.parameters).toContainEqual({ $ref: '#/parameters/watch-XNNPZGbK' });
    expect(collection.get).toMatchObject({
      consumes: ['application/json', 'application/yaml'],
      produces: ['application/json', 'application/yaml'],
    });
    expect(collection.post?.parameters).toContainEqual({
      name: 'body',
      in: 'body',
      required: true,
      schema: { $ref: '#/definitions/g.v1.A' },
    });
    expect(parameters['watch-XNNPZGbK']).toMatchObject({ name: 'watch', in: 'query', type: 'boolean' });
  });

  it('is encoded as protobuf with the field numbers of gnostic', () => {
    const bytes = encodeOpenApiV2({
      swagger: '2.0',
      info: { title: 'K', version: 'v' },
      definitions: { A: { type: 'object', properties: { b: { $ref: '#/definitions/B' } }, 'x-e': [1] } },
    });
    const field = (number: number, content: Buffer | string) => {
      const inner = Buffer.from(content);
      return Buffer.concat([...tag(number), Buffer.from([inner.length]), inner]);
    };
    const tag = (number: number) => {
      const value = number * 8 + 2;
      return [Buffer.from(value < 128 ? [value] : [(value & 0x7f) | 0x80, value >> 7])];
    };
    const join = (...parts: Buffer[]) => Buffer.concat(parts);
    const property = field(25, field(1, join(field(1, 'b'), field(2, field(1, '#/definitions/B')))));
    const extension = field(31, join(field(1, 'x-e'), field(2, field(2, '[1]\n'))));
    const schema = join(field(22, field(1, 'object')), property, extension);
    expect(bytes.toString('hex')).toBe(
      join(
        field(1, '2.0'),
        field(2, join(field(1, 'K'), field(2, 'v'))),
        field(9, field(1, join(field(1, 'A'), field(2, schema)))),
      ).toString('hex'),
    );
  });

  it('reads only changed documents again, and uses the first of several members', async () => {
    const loaded: string[] = [];
    const lazy = (
      path: string,
      hash: string,
      type: string,
    ): [string, { hash: string; load(): JsonObject }] => [
      path,
      {
        hash,
        load: () => {
          loaded.push(`${path} ${hash}`);
          return {
            paths: { [`/${path}`]: {} },
            components: { schemas: { Shared: { type }, [path]: { type } } },
          };
        },
      },
    ];
    const merger = new V2Merger('application/json');
    const merge = async (...list: [string, { hash: string; load(): JsonObject }][]) =>
      JSON.parse(Buffer.concat([...(await merger.merge(list, [], 0)).pieces]).toString()) as JsonObject;
    await merge(lazy('a', '1', 'string'), lazy('b', '1', 'object'));
    const merged = await merge(lazy('a', '1', 'string'), lazy('b', '2', 'array'));
    expect(loaded).toEqual(['a 1', 'b 1', 'b 2']);
    expect(merged).toMatchObject({
      swagger: '2.0',
      paths: { '/a': {}, '/b': {} },
      definitions: { Shared: { type: 'string' }, a: { type: 'string' }, b: {} },
    });
  });
});
