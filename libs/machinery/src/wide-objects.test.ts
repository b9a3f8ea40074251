import { describe, expect, it } from 'vitest';
import { deepCopyInPasses, deepEqualInPasses, parseJsonInPasses } from './json-passes.ts';
import { type JsonObject, setOwn } from './json-object.ts';
import { errorsInPasses, errorsOfMembers } from './errors-of-each.ts';
import { parseJson, stringifyJson } from './json.ts';
import { finish, type Passes } from './passes.ts';
import { isEmptyObject, isKnownWide, namesInPasses, noteNames } from './wide-objects.ts';

const wide = (count = 2000): JsonObject =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 'x'.repeat(30)]));

/** Returns how many lists of many names one pass makes at most. */
function mostLists(passes: Passes<unknown>): number {
  const { keys } = Object;
  let [most, lists] = [0, 0];
  Object.keys = (object: object) => {
    const names = keys(object);
    if (names.length > 1000) most = Math.max(most, ++lists);
    return names;
  };
  try {
    for (const _ of passes) lists = 0;
  } finally {
    Object.keys = keys;
  }
  return most;
}

describe('namesInPasses', () => {
  it('lists the names of a small object at once', () => {
    const passes = namesInPasses({ b: 1, a: 2 });
    expect(passes.next()).toEqual({ done: true, value: ['b', 'a'] });
  });

  it('lists many names in a pass, and in a pass of its own if they are known', () => {
    const object = wide();
    expect([...namesInPasses(object)].length).toBe(1);
    expect([...namesInPasses(object)].length).toBe(2);
    expect(finish(namesInPasses(object))).toEqual(Object.keys(object));
  });
});

describe('objects that become wide', () => {
  it.each<[what: string, object: () => unknown]>([
    ['is parsed', () => finish(parseJsonInPasses(stringifyJson(wide())))],
    ['is copied', () => finish(deepCopyInPasses(wide()))],
    [
      'is copied under the name __proto__',
      () => below(finish(deepCopyInPasses(parseJson(`{"__proto__":${stringifyJson(wide())}}`)))),
    ],
  ])('are known where one %s', (_what, object) => {
    expect(isKnownWide(object() as object)).toBe(true);
  });

  const below = (object: unknown) => Object.values(object as JsonObject)[0];
});

it.each<[what: string, passes: () => Passes<unknown>]>([
  ['a copy of several wide objects', () => deepCopyInPasses(noted([wide(), wide(), wide()]))],
  ['a comparison', () => deepEqualInPasses(noted([wide(), wide()]), noted([wide(), wide()]))],
  ['checks of all members', () => checked(noted([wide(), wide(), wide()]))],
  [
    'a comparison that finds another name',
    () => deepEqualInPasses(noted([wide()]), noted([{ ...wide(), b: undefined }])),
  ],
])('%s lists the names of one of them in a pass', (_what, passes) => {
  expect(mostLists(passes())).toBe(1);
});

it('a parsed object is not empty, without a list of its names', () => {
  const object = finish(parseJsonInPasses(stringifyJson(wide()))) as JsonObject;
  expect(mostLists(lookFor(object))).toBe(0);

  function* lookFor(value: object): Passes<void> {
    expect(isEmptyObject(value)).toBe(false);
    yield;
  }
});

const checked = (objects: JsonObject[]): Passes<unknown> =>
  errorsInPasses(() => objects.flatMap((object) => errorsOfMembers(object, () => [])));

function noted<T extends object>(objects: T[]): T[] {
  for (const object of objects) noteNames(object, Object.keys(object));
  return objects;
}

describe('isEmptyObject', () => {
  it.each<[what: string, expected: boolean, object: () => object]>([
    ['an empty object', true, () => ({})],
    ['a member', false, () => ({ a: undefined })],
    ['a wide object', false, () => noted([wide()])[0] as object],
    [
      'a wide object without its first member',
      false,
      () => without(noted([wide()])[0] as JsonObject, ['k0']),
    ],
    ['an object that was wide', true, () => without(noted([wide()])[0] as JsonObject, Object.keys(wide()))],
    ['a wide object whose first member is __proto__', false, () => noted([withProto()])[0] as object],
    ['an inherited member', true, () => Object.create({ a: 1 }) as object],
  ])('reports %s', (_what, expected, object) => {
    const value = object();
    expect(isEmptyObject(value)).toBe(expected);
    expect(isEmptyObject(value)).toBe(expected);
  });

  function without(object: JsonObject, names: readonly string[]): JsonObject {
    for (const name of names) delete object[name];
    return object;
  }

  function withProto(): JsonObject {
    const object: JsonObject = {};
    setOwn(object, '__proto__', 1);
    for (const [name, value] of Object.entries(wide())) setOwn(object, name, value);
    return object;
  }
});

it('a list of many names is a long pass once they are known to be many', () => {
  const object = wide();
  expect([...namesInPasses(object)]).toEqual([undefined]);
  expect([...namesInPasses(object)]).toEqual(['long', undefined]);
  expect([...namesInPasses({ a: 1 })]).toEqual([]);
});
