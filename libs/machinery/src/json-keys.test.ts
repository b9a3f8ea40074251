import { describe, expect, it } from 'vitest';
import { parseJson, stringifyJson } from './json.ts';
import { jsonParse } from './json-keys.ts';

const parsers: [string, (text: string) => unknown][] = [
  ['jsonParse', jsonParse],
  ['parseJson', parseJson],
];

describe.each(parsers)('%s', (parser, parse) => {
  // Each row has keys of its own before the last one: V8 takes a key for another one after equal keys.
  it.each([
    ['a quote', String.raw`"\""`, '"'],
    ['a line feed', String.raw`"\n"`, '\n'],
    ['a letter as an escape', String.raw`"\u0061"`, 'a'],
    ['a letter beyond ASCII', String.raw`"\u00e9"`, 'é'],
  ])('reads a key after a document with a backslash there: %s', (name, key, expected) => {
    const document = (last: string): string => `{"${parser} ${name}":1,${last}:2}`;
    parse(document(String.raw`"\\"`));
    expect(Object.keys(parse(document(key)) as object)[1]).toBe(expected);
  });

  it('reads such keys in lists and objects below', () => {
    const text = String.raw`[{"${parser}":{"a":[{"x":1,"\\":2},{"x":1,"\"":2}]},"b":{"x":1,"\u0061":3}}]`;
    expect(parse(text)).toEqual([
      {
        [parser]: {
          a: [
            { x: 1, '\\': 2 },
            { x: 1, '"': 2 },
          ],
        },
        b: { x: 1, a: 3 },
      },
    ]);
  });

  it('reads a key of managed fields after a document with a backslash there', () => {
    const document = (key: string): string =>
      `{"metadata":{"managedFields":[{"fieldsV1":{"${parser}":{},${key}:{}}}]}}`;
    parse(document(String.raw`"k:{\\"`));
    expect(parse(document(String.raw`"k:{\""`))).toEqual({
      metadata: { managedFields: [{ fieldsV1: { [parser]: {}, 'k:{"': {} } }] },
    });
  });

  it('reads a key beside managed fields after a document with a backslash there', () => {
    const document = (key: string): string =>
      `{"metadata":{"${parser}":1,${key}:2,"managedFields":[{"fieldsV1":{"k:{\\"a\\":1}":{}}}]}}`;
    parse(document(String.raw`"b\\"`));
    expect(parse(document(String.raw`"b\""`))).toEqual({
      metadata: { [parser]: 1, 'b"': 2, managedFields: [{ fieldsV1: { 'k:{"a":1}': {} } }] },
    });
  });

  it('reads strings behind such keys', () => {
    expect(parse(String.raw`{"a":{"\"":""},"\n":"\n"  ,  "\t" : "b"}`)).toEqual({
      a: { '"': '' },
      '\n': '\n',
      '\t': 'b',
    });
  });

  it('reads strings of backslashes and colons as they are', () => {
    const value = ['\\', ':', '":', { '\\': '\\', '"': ':' }, '\\\\', ':', '\\":', ':'];
    expect(parse(JSON.stringify(value))).toEqual(value);
  });

  it('keeps the order of keys, and the last value of a key that is written in two ways', () => {
    const object = parse(String.raw`{"b\n":1,"a":2,"\u0061":3,"c\/":4,"b\u000a":5,"a":6,"\u0061":7}`);
    expect(JSON.stringify(object)).toBe(String.raw`{"b\n":5,"a":7,"c/":4}`);
  });

  it('reads keys for private use, and those of Object.prototype, as they are', () => {
    const object = parse('{"\\n":0,"\ue000":1,"\ue0000":2,"__pr\\u006fto__":3}') as object;
    expect(Object.entries(object)).toEqual([
      ['\n', 0],
      ['\ue000', 1],
      ['\ue0000', 2],
      ['__proto__', 3],
    ]);
  });

  it.each([
    String.raw`{"\q":1}`,
    String.raw`{"\u00g0":1}`,
    '{"a\n\\n":1}',
    String.raw`{"a\":1}`,
    String.raw`{"\n":1,}`,
  ])('refuses %j', (text) => {
    expect(() => parse(text)).toThrow(SyntaxError);
  });

  it('ignores JSON in a string, which has escapes before colons', () => {
    const value = { a: stringifyJson({ b: stringifyJson({ c: stringifyJson({ '\n': 1 }) }) }) };
    expect(parse(JSON.stringify(value))).toEqual(value);
  });
});

it('parseJson keeps large integers beside list keys of managed fields', () => {
  const text = String.raw`{"a":9007199254740993,"metadata":{"managedFields":[{"fieldsV1":{"v:\"a\"":{}}}]}}`;
  expect(parseJson(text)).toEqual({
    a: 9007199254740993n,
    metadata: { managedFields: [{ fieldsV1: { 'v:"a"': {} } }] },
  });
});

it('parseJson keeps large integers beside keys with escapes', () => {
  expect(parseJson(String.raw`{"\n":[9007199254740993,1.5]}`)).toEqual({ '\n': [9007199254740993n, 1.5] });
});
