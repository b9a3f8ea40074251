import { finish, type JsonObject } from '@annex/machinery';
import { describe, expect, it } from 'vitest';
import { readSwagger, selectPaths } from './swagger.ts';
import { swaggerToV3 } from './swagger-to-v3.ts';

describe('readSwagger', () => {
  it.each<[string, object]>([
    ['no members', {}],
    ['members that are null', { paths: null, definitions: { A: { type: null } } }],
    ['unknown members', { definitions: { A: { 'x-y': 5, what: 'ever' } }, tags: 5 }],
    [
      'all forms of types and items',
      { definitions: { A: { type: ['null'], items: [{}] }, B: { items: {} } } },
    ],
  ])('accepts a document with %s', (_what, document) => {
    expect(() => finish(readSwagger(document as never))).not.toThrow();
  });

  it.each<[string, unknown]>([
    ['a list', []],
    ['a text', 'x'],
    ['a number as paths', { paths: 5 }],
    ['a path that is a string', { paths: { '/a': 'x' } }],
    ['a definition that is null', { definitions: { A: null } }],
    ['a type that is a number', { definitions: { A: { properties: { b: { items: { type: 5 } } } } } }],
    ['required fields that are not strings', { definitions: { A: { required: [5] } } }],
    ['a parameter without an object', { parameters: { a: 'x' } }],
    ['an operation that is a list', { paths: { '/a': { get: [] } } }],
    ['responses that are strings', { paths: { '/a': { get: { responses: { 200: 'OK' } } } } }],
  ])('throws for %s', (_what, value) => {
    expect(() => finish(readSwagger(value as never))).toThrow('this is not an OpenAPI document of version 2');
  });
});

describe('selectPaths', () => {
  const reference = (to: string) => ({ schema: { $ref: `#/definitions/${to}` } });
  const document = finish(
    readSwagger({
      info: { title: 'Ext' },
      paths: {
        '/apis/ext.io/v1/a': {
          get: { parameters: [{ $ref: '#/parameters/p' }], responses: { 200: reference('A') } },
        },
        '/apis/ext.io/': { get: { responses: { 200: reference('Group') } } },
      },
      definitions: {
        A: { properties: { b: { $ref: '#/definitions/B' }, $ref: { type: 'string' } } },
        B: { items: { $ref: '#/definitions/A' } },
        InParameter: {},
        Group: { properties: { inner: { $ref: '#/definitions/InGroup' } } },
        InGroup: {},
        NeverUsed: {},
      },
      parameters: { p: { name: 'body', in: 'body', ...reference('InParameter') }, q: {} },
    }),
  );

  it('keeps definitions that the paths use directly or indirectly, and unused ones', () => {
    const { paths, definitions, parameters, info } = finish(
      selectPaths(document, (path) => path.endsWith('/a')),
    );
    expect(Object.keys(paths ?? {})).toEqual(['/apis/ext.io/v1/a']);
    expect(Object.keys(definitions ?? {})).toEqual(['A', 'B', 'InParameter', 'NeverUsed']);
    expect([Object.keys(parameters ?? {}), info]).toEqual([['p', 'q'], { title: 'Ext' }]);
  });

  it('returns a document without paths unchanged', () => {
    const whole = finish(readSwagger({ definitions: { A: {} } }));
    expect(finish(selectPaths(whole, () => false))).toBe(whole);
  });
});

const versionTwo: JsonObject = {
  swagger: '2.0',
  info: { title: 'Ext', version: 'v1' },
  paths: {
    '/a/{name}': {
      parameters: [{ name: 'name', in: 'path', required: true, type: 'string', uniqueItems: true }],
      put: {
        consumes: ['application/json', 'application/yaml'],
        produces: ['application/json'],
        schemes: ['https'],
        operationId: 'putA',
        parameters: [
          { name: 'body', in: 'body', required: true, schema: { $ref: '#/definitions/A' } },
          { $ref: '#/parameters/pretty' },
        ],
        responses: {
          200: { description: 'OK', schema: { $ref: '#/definitions/A' } },
          401: { description: 'Unauthorized' },
        },
        'x-kubernetes-action': 'put',
      },
    },
  },
  definitions: {
    A: {
      type: 'object',
      properties: {
        plain: { $ref: '#/definitions/B' },
        described: { description: 'd', $ref: '#/definitions/B' },
        list: { type: 'array', items: { $ref: '#/definitions/B' } },
        map: { type: 'object', additionalProperties: { $ref: '#/definitions/B' } },
        $ref: { type: 'string', default: { $ref: 'a text' } },
      },
    },
    B: { type: 'string' },
  },
  parameters: { pretty: { name: 'pretty', in: 'query', type: 'string' } },
  securityDefinitions: {
    Token: { type: 'apiKey', name: 'authorization', in: 'header' },
    Flow: { type: 'oauth2', flow: 'password', tokenUrl: '/t', scopes: {} },
  },
};

const content = { schema: { $ref: '#/components/schemas/A' } };
const versionThree = {
  openapi: '3.0.0',
  info: { title: 'Ext', version: 'v1' },
  paths: {
    '/a/{name}': {
      parameters: [
        { name: 'name', in: 'path', required: true, schema: { type: 'string', uniqueItems: true } },
      ],
      put: {
        operationId: 'putA',
        parameters: [{ $ref: '#/components/parameters/pretty' }],
        requestBody: { content: { 'application/json': content, 'application/yaml': content } },
        responses: {
          200: { description: 'OK', content: { 'application/json': content } },
          401: { description: 'Unauthorized' },
        },
        'x-kubernetes-action': 'put',
      },
    },
  },
  components: {
    schemas: {
      A: {
        type: 'object',
        properties: {
          plain: { $ref: '#/components/schemas/B' },
          described: { description: 'd', allOf: [{ $ref: '#/components/schemas/B' }] },
          list: { type: 'array', items: { $ref: '#/components/schemas/B' } },
          map: { type: 'object', additionalProperties: { $ref: '#/components/schemas/B' } },
          $ref: { type: 'string', default: { $ref: 'a text' } },
        },
      },
      B: { type: 'string' },
    },
    parameters: { pretty: { name: 'pretty', in: 'query', schema: { type: 'string' } } },
    securitySchemes: {
      Token: { type: 'apiKey', name: 'authorization', in: 'header' },
      Flow: { type: 'oauth2', flows: { password: { tokenUrl: '/t', scopes: {} } } },
    },
  },
};

describe('swaggerToV3', () => {
  it('converts a document of version 2 to version 3', () => {
    expect(finish(swaggerToV3(finish(readSwagger(versionTwo))))).toEqual(versionThree);
  });

  it('omits absent members', () => {
    expect(finish(swaggerToV3({}))).toEqual({ openapi: '3.0.0', components: {} });
  });
});
