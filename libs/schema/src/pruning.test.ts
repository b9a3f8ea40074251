import { type JsonObject, type JsonValue } from '@annex/machinery';
import { expect, it } from 'vitest';
import { compileBuiltin } from './builtin/builtin.ts';
import { fieldPaths, Pruner } from './pruning.ts';
import { maxUnknownFieldChars, maxUnknownFields, RemovedFields } from './removed-fields.ts';
import type { SchemaNode } from './node.ts';

const depth = 100;
const levels = Array.from({ length: depth }, (_, i) => i);
const node: SchemaNode = levels.reduce<SchemaNode>((below) => ({ properties: new Map([['a', below]]) }), {
  properties: new Map(),
});
const objectWith = (count: number): JsonObject =>
  levels.reduce<JsonValue>(
    (below) => ({ a: below }),
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`u${i}`, 1])),
  ) as JsonObject;

const custom = (object: JsonObject): string[] => {
  const removed = new RemovedFields();
  new Pruner(node).prune(object, removed);
  return fieldPaths(removed);
};

it.each([
  ['a custom resource', custom],
  ['a built-in kind', (object: JsonObject) => compileBuiltin(node).prune(object)],
])('unknown fields of %s beyond maxUnknownFields are removed but not reported', (_what, prune) => {
  const object = objectWith(maxUnknownFields + 1);
  const reported = prune(object);
  expect(reported).toHaveLength(maxUnknownFields);
  expect(reported[0]).toBe(`${'a.'.repeat(depth)}u0`);
  expect(JSON.stringify(object)).toBe(JSON.stringify(objectWith(0)));
  expect(prune(objectWith(maxUnknownFields))).toHaveLength(maxUnknownFields);
});

it.each([
  ['beyond maxUnknownFieldChars not reported', 100, Math.floor(maxUnknownFieldChars / 1014)],
  ['reported if it is the only one, however long', maxUnknownFieldChars, 1],
])('the path of an unknown field is %s', (_what, length, reported) => {
  const name = 'n'.repeat(length);
  const levels = length > 1000 ? 1 : 10;
  const nested = Array.from({ length: levels }).reduce<SchemaNode>(
    (below) => ({ properties: new Map([[name, below]]) }),
    {},
  );
  const object = Array.from({ length: levels }).reduce<JsonValue>(
    (below) => ({ [name]: below }),
    Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`${i + 100}`, 1])),
  );
  const removed = new RemovedFields();
  new Pruner(nested).prune(object, removed);
  expect(fieldPaths(removed)).toHaveLength(reported);
});
