import { describe, expect, it } from 'vitest';
import { maxQueryParameters, parseQuery, Query } from './query.ts';

describe('parseQuery', () => {
  it.each([
    ['values in their order', 'a=1&b=2&a=3', { a: ['1', '3'], b: ['2'] }],
    ['parameters without a value', 'a&b=', { a: [''], b: [''] }],
    ['a plus, which is a space', 'a+b=c+d%2B', { 'a b': ['c d+'] }],
    ['a value with more equals signs', 'a==b=', { a: ['=b='] }],
    ['an empty name', '=a', { '': ['a'] }],
    ['a question mark, which is a character like others', '?a=b', { '?a': ['b'] }],
    ['no pair with a semicolon', 'a=1;b=2&c=3', { c: ['3'] }],
    ['no pair with an invalid escape', 'a=%zz&%=1&b=%4&c=3', { c: ['3'] }],
    ['text of any script', '%C3%A9=%F0%9F%98%80', { é: ['😀'] }],
    ['each invalid byte of UTF-8 separately', 'a=%ff%fe', { a: ['\udcff\udcfe'] }],
    [
      'names as they are written',
      'FieldSelector=a&fieldselector=b',
      { FieldSelector: ['a'], fieldselector: ['b'] },
    ],
    ['names that objects inherit', '__proto__=a&constructor=b', undefined],
  ])('reads %s', (_what, text, expected) => {
    const query = parseQuery(text);
    if (expected !== undefined) expect(Object.fromEntries(query.toMap())).toEqual(expected);
    else
      expect([query.get('__proto__'), query.get('constructor'), query.get('toString')]).toEqual([
        'a',
        'b',
        undefined,
      ]);
  });

  it('returns the first of several values', () => {
    const query = parseQuery('a=1&a=2');
    expect([query.get('a'), query.getAll('a'), query.has('b'), query.size]).toEqual([
      '1',
      ['1', '2'],
      false,
      2,
    ]);
  });

  it('is the same for all requests without parameters', () => {
    expect([parseQuery(''), parseQuery('&&'), parseQuery(';')]).toEqual([Query.none, Query.none, Query.none]);
    expect(parseQuery('')).toBe(Query.none);
  });

  it('reads none of more parameters than Go does', () => {
    expect(parseQuery('a&'.repeat(maxQueryParameters - 1)).size).toBe(maxQueryParameters - 1);
    expect(parseQuery('a&'.repeat(maxQueryParameters)).size).toBe(0);
  });
});

describe('a query that is written again', () => {
  it.each([
    ['is sorted by name, values in their order', 'x=1&y=2&x=3', 'x=1&x=3&y=2'],
    ['has a value for each name', 'z=1&a=2&m=%2F&empty=&flag', 'a=2&empty=&flag=&m=%2F&z=1'],
    ['writes spaces as plus', 'q=a+b%2Bc%20d', 'q=a+b%2Bc+d'],
    ['drops invalid pairs', 'a=1;b=2&c=%zz&d=4', 'd=4'],
    ['keeps invalid UTF-8', 'a=%ff&%c3(=%e9', 'a=%FF&%C3%28=%E9'],
    ['is sorted by decoded names', 'a+b&a%21b', 'a+b=&a%21b='],
    ['is sorted by bytes', '%F0%90%80%80&%EF%BF%BD&%FF', '%EF%BF%BD=&%F0%90%80%80=&%FF='],
    ['may be empty', '', ''],
  ])('%s', (_, raw, expected) => expect(parseQuery(raw).toString()).toBe(expected));
});
