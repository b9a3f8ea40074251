import { deepCopy, finish, type JsonObject, type JsonValue, type Passes } from '@annex/machinery';
import { samples, schemaCases } from '@annex/testkit';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compileStructural, type StructuralSchema } from './structural.ts';

const many = 3000;
const range = (of: (i: number) => JsonValue): JsonValue[] => Array.from({ length: many }, (_, i) => of(i));
const byName = (of: (i: number) => JsonValue): JsonObject =>
  Object.fromEntries(range(of).map((value, i) => [`k${i}`, value]));
const embedded = {
  type: 'object',
  'x-kubernetes-embedded-resource': true,
  'x-kubernetes-preserve-unknown-fields': true,
};
const listOf = (items: object): JsonObject => ({ type: 'array', items }) as JsonObject;
const items = {
  type: 'object',
  properties: { a: { type: 'integer' }, d: { type: 'string', default: 'x' } },
};
const schema = compileStructural({
  type: 'object',
  properties: {
    items: listOf(items),
    map: { type: 'object', additionalProperties: items },
    nested: listOf(listOf(items)),
    any: { type: 'array', 'x-kubernetes-preserve-unknown-fields': true, items },
    resources: listOf(embedded),
    resource: embedded,
    large: listOf({
      type: 'object',
      properties: { l: { ...listOf(items), default: range(() => ({ a: 1 })) }, x: { type: 'string' } },
    }),
  },
} as JsonObject);

const resource = (i: number, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'A',
  metadata: { name: `n${i}`, ...metadata },
});

/** The passes until the work is done. */
function countPasses<T>(passes: Passes<T>): { result: T; count: number } {
  for (let count = 1; ; count++) {
    const { done, value } = passes.next();
    if (done === true) return { result: value, count };
  }
}

/** The passes of work that is done. */
function* none<T>(result: T): Passes<T> {
  return result;
}

/** Changes a copy at once, and one in passes; returns how many there were. */
function passesOf(compiled: StructuralSchema, object: JsonObject): number {
  const [atOnce, inPasses] = [deepCopy(object), deepCopy(object)];
  const error = compiled.decodeError(atOnce);
  const decoding = countPasses(compiled.decodeErrorInPasses(inPasses) ?? none(undefined));
  expect(decoding.result).toBe(error);
  if (error !== undefined) return decoding.count;
  const removed = compiled.prune(atOnce);
  const pruning = countPasses(compiled.pruneInPasses(inPasses) ?? none(compiled.prune(inPasses)));
  expect(pruning.result).toEqual(removed);
  expect(inPasses).toEqual(atOnce);
  compiled.applyDefaults(atOnce);
  const defaults = countPasses(compiled.defaultsInPasses(inPasses) ?? none(compiled.applyDefaults(inPasses)));
  expect(inPasses).toEqual(atOnce);
  return decoding.count + pruning.count + defaults.count;
}

it.each<[string, JsonObject]>([
  ['lists with unknown fields', { items: range((i) => ({ a: i, ...(i % 10 === 0 ? { b: 1 } : {}) })) }],
  ['nulls', { items: range(() => ({ a: null, d: null })) }],
  ['maps', { map: byName((i) => ({ a: i, [`u${i % 9}`]: null })) }],
  ['lists in lists', { nested: [range((i) => ({ a: i, u: [] })), [], range(() => ({}))] }],
  ['large defaults', { large: [{}, { l: null }, { x: 'a' }, { l: [] }] }],
  ['preserved lists', { any: range((i) => ({ a: null, u: i })) }],
  ['embedded resources', { resources: range((i) => resource(i, i % 9 === 0 ? { u: 1, labels: {} } : {})) }],
  [
    'one large embedded resource',
    { resource: { ...resource(1, { labels: byName(String), u: byName(String) }), spec: range(Number) } },
  ],
  [
    'embedded resources of which one cannot be decoded',
    { resources: range((i) => resource(i, { name: i > 2000 ? i : 'a' })) },
  ],
])('%s are decoded, pruned and defaulted in passes as at once', (_what, object) => {
  expect(passesOf(schema, object)).toBeGreaterThan(6);
});

it('random values are decoded, pruned and defaulted in passes as at once', () => {
  fc.assert(
    fc.property(schemaCases(), ({ schema: document, loose }) => {
      const compiled = compileStructural({ type: 'object', properties: { list: listOf(document) } });
      passesOf(compiled, { list: Array.from({ length: 600 }, () => deepCopy(loose)) });
    }),
    { numRuns: samples(40) },
  );
});

it.each<[string, JsonObject]>([
  ['stored embedded resources', { resources: range((i) => resource(i, { name: i % 2 === 0 ? 'a' : i })) }],
])('%s lose what cannot be decoded, in passes', (_what, object) => {
  expect(countPasses(schema.pruneStoredInPasses(object) ?? none(undefined)).count).toBeGreaterThan(6);
  expect((object.resources as JsonObject[]).slice(0, 2)).toEqual([
    resource(0, { name: 'a' }),
    { apiVersion: 'v1', kind: 'A', metadata: {} },
  ]);
});

it('the defaults of a schema with many fields are set in linear time', () => {
  const wide = compileStructural({
    type: 'object',
    properties: {
      list: listOf({
        type: 'object',
        properties: Object.fromEntries(range(() => items as JsonValue).map((value, i) => [`p${i}`, value])),
      }),
    },
  } as JsonObject);
  let looked = 0;
  const item = () => new Proxy<JsonObject>({}, { get: () => void looked++ });
  finish(wide.defaultsInPasses({ list: range(item) }) ?? none(undefined));
  expect(looked).toBeLessThan(10 * many);
});
