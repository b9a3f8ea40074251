import { finish, type JsonObject, type JsonValue, parseJson, nestsTooDeep, setOwn } from '@annex/machinery';
import { type FuzzTarget, orError, utf8Text } from '@annex/testkit';
import { MergedMembers, addForeign } from './v2-foreign.ts';
import { readSwagger, selectPaths, type Swagger } from './swagger.ts';
import { swaggerToV3 } from './swagger-to-v3.ts';
import { encodeOpenApiV2 } from './v2-protobuf.ts';
import { encodeOpenApiV3 } from './v3-protobuf.ts';

const v2 = {
  swagger: '2.0',
  info: { title: 'x', version: '1' },
  produces: ['application/json'],
  paths: {
    '/apis/g/v1/ws/{name}': {
      parameters: [
        { $ref: '#/parameters/name-x' },
        { in: 'body', name: 'b', schema: { $ref: '#/definitions/g.W' } },
      ],
      get: {
        operationId: 'a',
        parameters: [{ in: 'query', name: 'q', type: 'array', items: { type: 'string' } }],
        responses: { 200: { description: 'OK', schema: { $ref: '#/definitions/g.W' } } },
      },
    },
  },
  definitions: {
    'g.W': {
      type: 'object',
      properties: { spec: { $ref: '#/definitions/g.S' }, n: { type: 'integer', format: 'int64' } },
      'x-kubernetes-group-version-kind': [{ group: 'g', version: 'v1', kind: 'W' }],
    },
    'g.S': {
      allOf: [{ $ref: '#/definitions/g.W' }],
      additionalProperties: { type: 'string' },
      required: ['a'],
    },
  },
  parameters: { 'name-x': { in: 'path', name: 'name', type: 'string', required: true } },
};

export const fuzzTargets: FuzzTarget[] = [
  {
    name: 'openapi',
    seeds: [
      JSON.stringify(v2),
      '{"swagger":"2.0","paths":{"/a":null},"definitions":{"a":{"$ref":"#/definitions/a"}}}',
    ],
    dictionary: [
      '"$ref"',
      '"#/definitions/',
      '"#/parameters/',
      '"paths"',
      '"definitions"',
      '"properties"',
      '"items"',
      '"allOf"',
      'null',
      '[]',
      '{}',
      '"__proto__"',
      '"x-y"',
      '"schema"',
      '"in":"body"',
      '"type":"array"',
    ],
    maxBytes: 4096,
    run(input) {
      const value = orError((): JsonValue => parseJson(utf8Text(input)), [SyntaxError]);
      if (value instanceof Error || nestsTooDeep(value)) return;
      const document = orError(() => finish(readSwagger(value)), [Error]);
      if (document instanceof Error) return;
      processDocument(document);
    },
  },
];

/** Processes a document as that of an extension API server: converts, filters, and merges it. */
function processDocument(document: Swagger): void {
  finish(selectPaths(document, (path) => path.length % 2 === 0));
  encodeOpenApiV3(finish(swaggerToV3(document)));
  const names = { paths: new Set<string>(), definitions: new Set(['g.W']), parameters: new Set<string>() };
  const merged = new MergedMembers(names, [['definitions', 'g.W', { type: 'string' }]]);
  finish(addForeign(merged, document));
  finish(addForeign(merged, document));
  const members: Record<string, JsonObject> = { paths: {}, definitions: {}, parameters: {} };
  for (const [section, name, value] of merged.added()) setOwn(members[section]!, name, value);
  encodeOpenApiV2({ swagger: '2.0', info: {}, ...members });
}
