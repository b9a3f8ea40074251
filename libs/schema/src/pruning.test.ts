import { type JsonObject, type JsonValue } from '@annex/machinery';
import { expect, it } from 'vitest';
import { compileBuiltin } from './builtin.ts';
import { maxUnknownFields } from './lazy-walks.ts';
import { compilePruner, fieldPaths } from './pruning.ts';
import type { SchemaNode } from './node.ts';

const depth = 200;
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
  const removed: string[] = [];
  compilePruner(node)(object, removed);
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
