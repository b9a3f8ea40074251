import { expect, it } from 'vitest';
import { stringifyJson } from './json.ts';
import { type JsonObject, type JsonValue, setOwn } from './json-object.ts';
import { encodeJsonInPasses, stringifyJsonInPasses } from './json-text-passes.ts';
import { finish } from './passes.ts';

const count = 5000;
const list = <T>(of: (i: number) => T, length = count): T[] => Array.from({ length }, (_, i) => of(i));
const members = (of: (i: number) => JsonValue | undefined, length = count): JsonObject =>
  Object.fromEntries(list((i) => [`k${i}`, of(i)], length)) as JsonObject;

function withProto(): JsonObject {
  const object = members((i) => i);
  setOwn(
    object,
    '__proto__',
    members(() => 'x'),
  );
  return object;
}

it.each<[what: string, value: unknown]>([
  ['an object of many members', members((i) => `text ${i}`)],
  ['a list of many items', list((i) => ({ name: `n${i}`, list: [i, null] }))],
  ['a large value between small ones', { a: 1, b: [{}, { c: members((i) => i) }, []], d: 'x' }],
  ['large values one after another', [members((i) => i), members((i) => i), 1]],
  ['names that are numbers', Object.fromEntries(list((i) => [String(count - i), i]))],
  ['integers beyond 2^53', list((i) => BigInt(i) + 2n ** 60n)],
  ['absent members', { a: undefined, ...members((i) => (i % 3 === 0 ? undefined : i)), z: undefined }],
  ['long texts', list(() => '"'.repeat(10_000), 100)],
  ['long texts that are not ASCII', list(() => 'é😀'.repeat(5000), 100)],
  ['only absent members', members(() => undefined)],
  ['the name __proto__', withProto()],
])('encodes %s as stringifyJson does, with pauses', (_what, value) => {
  expect(finish(stringifyJsonInPasses(value))).toBe(stringifyJson(value));
  expect([...stringifyJsonInPasses(value)].length).toBeGreaterThan(0);
  expect(finish(encodeJsonInPasses(value)).toString()).toBe(`${stringifyJson(value)}\n`);
});

it('encodes a small value at once', () => {
  const small = { a: list((i) => i, 100) };
  expect([...stringifyJsonInPasses(small), ...encodeJsonInPasses(small)]).toEqual([]);
  expect(finish(encodeJsonInPasses(small)).toString()).toBe(`${stringifyJson(small)}\n`);
});
