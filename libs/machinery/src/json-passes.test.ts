import { samples } from '@annex/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deepCopy, deepEqual, parseJson, stringifyJson } from './json.ts';
import type { JsonObject, JsonValue } from './json-object.ts';
import { deepCopyInPasses, deepEqualInPasses, parsedAtOnce, parseJsonInPasses } from './json-passes.ts';
import { finish, type Passes } from './passes.ts';

const count = 3000;
const text = 'x'.repeat(60);
const members = (of: (i: number) => JsonValue, length = count): JsonObject =>
  Object.fromEntries(Array.from({ length }, (_, i) => [`k${i}`, of(i)]));

function pausesOf(passes: Passes<unknown>): number {
  for (let pauses = 0; ; pauses++) if (passes.next().done === true) return pauses;
}

const parsed = (json: string): JsonValue => finish(parseJsonInPasses(json));

describe('parseJsonInPasses', () => {
  it.each<[string, JsonValue]>([
    ['an object of many members', members(() => text)],
    ['a list of many objects', Array.from({ length: count }, (_, i) => ({ name: `n${i}`, text }))],
    ['a large value in small ones', { a: 1, b: { c: [null, members(() => [text])] }, d: [] }],
    [
      'managed fields, whose keys have quotes',
      {
        metadata: { managedFields: [{ fieldsV1: members((i) => ({ [`k:{"name":"${i}"}`]: { '.': {} } })) }] },
      },
    ],
    ['keys with backslashes', members((i) => ({ [`a\\${i}`]: text, [`b\n${i}`]: i }))],
    ['strings with brackets, commas and quotes', members(() => `{"a":[1,2],}${text}\\`)],
  ])('reads %s as parseJson does, with a pause for each 32 KiB', (_what, value) => {
    for (const indent of [undefined, 2]) {
      const json = JSON.stringify(value, undefined, indent);
      expect(stringifyJson(parsed(json))).toBe(stringifyJson(parseJson(json)));
      expect(pausesOf(parseJsonInPasses(json))).toBeGreaterThan(json.length / parsedAtOnce / 2);
    }
  });

  it.each([
    ['digits', '1234567890'.repeat(5000)],
    ['escapes', '\\u0001\\n\\"\\u00e4'.repeat(5000)],
    ['escapes of a lone surrogate', `${'\\ud800x'.repeat(5000)}\\ud83d\\ude00`],
  ])('reads a long string of %s as parseJson does', (_what, content) => {
    const json = `{"a":["${content}"],"b":"${content}"}`;
    expect(parsed(json)).toEqual(parseJson(json));
  });

  it('keeps the last value of a repeated key, integers beyond 2^53, and the name __proto__', () => {
    const json = `{"a":1,"big":9007199254740993,"__proto__":{"b":2},"fill":${JSON.stringify(members(() => text))},"a":2}`;
    const value = parsed(json) as JsonObject;
    expect([value.a, value.big, Object.keys(value)]).toEqual([
      2,
      9007199254740993n,
      ['a', 'big', '__proto__', 'fill'],
    ]);
  });

  const long = JSON.stringify(members(() => text, 600));
  it.each([
    ['no closing bracket', long.slice(0, -1)],
    ['the wrong closing bracket', `${long.slice(0, -1)}]`],
    ['a comma at the end', `${long.slice(0, -1)},}`],
    ['a comma at the end of a list of large items', `[${long},${long},]`],
    ['two commas', `[${long},,${long}]`],
    ['a key without a value', `{"a":${long},"b"}`],
    ['a value without a key', `{"a":${long},${long}}`],
    ['a second value', `${long} ${long}`],
    ['a number beyond float64', `{"a":${long},"b":1e999}`],
    ['a string that does not end', `{"a":${long},"b":"`],
  ])('refuses %s with the message of parseJson', (_what, json) => {
    let expected = '';
    try {
      parseJson(json);
    } catch (error) {
      expected = (error as Error).message;
    }
    expect(expected).not.toBe('');
    expect(() => parsed(json)).toThrow(new SyntaxError(expected));
  });

  it('refuses a large text in passes, however small its parts are', () => {
    const passes = parseJsonInPasses(`{"a":[${'1,'.repeat(500_000)}`);
    for (let i = 0; i < 200; i++) expect(passes.next().done).toBe(false);
    expect(() => finish(passes)).toThrow(new SyntaxError('unexpected end of JSON input'));
  });

  it('agrees with parseJson for every text', () => {
    const filler = JSON.stringify(members(() => text, 600));
    fc.assert(
      fc.property(fc.json(), fc.json(), (a, b) => {
        const json = `{"a": ${a}, "f":[${filler} ,${b}] }`;
        expect(stringifyJson(parsed(json))).toBe(stringifyJson(parseJson(json)));
      }),
      { numRuns: samples(10) },
    );
  });
});

describe('deepEqualInPasses', () => {
  it('agrees with deepEqual for all values, and for a changed copy', () => {
    const value = fc.jsonValue();
    const copies = value.map((a): [unknown, unknown] => [a, deepCopy(a)]);
    const orders = fc.tuple(value, value).map(([a, b]): [unknown, unknown] => [
      { a, b },
      { b, a },
    ]);
    const pairs = fc.oneof(fc.tuple<[unknown, unknown]>(value, value), copies, orders);
    fc.assert(
      fc.property(pairs, ([a, b]) => {
        expect(finish(deepEqualInPasses(a, b))).toBe(deepEqual(a, b));
      }),
    );
  });

  it.each([
    ['absent and undefined members are equal', { a: 1, b: undefined }, { c: undefined, a: 1n }, true],
    ['an inherited name is not a member', { a: {}, toString: {} }, { a: {}, b: {} }, false],
    ['a list is not an object', [{}], { 0: {} }, false],
    ['null is not an object', { a: null }, { a: {} }, false],
    ['a list is not its beginning', [1, { a: 1 }], [1, { a: 1 }, 2], false],
    ['items are compared deeply', [[{ a: 1 }], 1], [[{ a: 2 }], 1], false],
  ])('%s', (_what, a, b, expected) => {
    expect(finish(deepEqualInPasses(a, b))).toBe(expected);
    expect(deepEqual(a, b)).toBe(expected);
  });

  it('pauses for each 500 members and containers', () => {
    const value = members((i) => ({ i }));
    expect(pausesOf(deepEqualInPasses(value, deepCopy(value)))).toBe(20);
    const items = Object.values(value);
    expect(pausesOf(deepEqualInPasses(items, deepCopy(items)))).toBe(18);
  });
});

describe('deepCopyInPasses', () => {
  it('copies every value, and pauses for each 500 members and containers', () => {
    const value = {
      list: [1, 'a', null, { b: [[]] }],
      many: members((i) => ({ i, big: 2n ** 60n })),
      none: undefined,
    };
    const copy = finish(deepCopyInPasses(value));
    expect(copy).toEqual(value);
    expect(copy.list[3]).not.toBe(value.list[3]);
    expect(pausesOf(deepCopyInPasses(value))).toBe(26);
  });

  it('copies the name __proto__ as a member', () => {
    expect(Object.keys(finish(deepCopyInPasses(parseJson('{"__proto__":{"a":1}}'))) as object)).toEqual([
      '__proto__',
    ]);
  });
});
