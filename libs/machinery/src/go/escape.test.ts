import { describe, expect, it } from 'vitest';
import { badEscape, escape, unescapePercent } from './escape.ts';

describe('a path that is escaped', () => {
  it.each([
    ['plain', '/apis/g/v1/echoes', '/apis/g/v1/echoes'],
    ['with a space and a slash that was escaped', '/echoes/a b/c', '/echoes/a%20b/c'],
    ['with a percent sign', '/a%b', '/a%25b'],
    ['with characters of other scripts', '/é', '/%C3%A9'],
    ['with invalid UTF-8', '/\udcc3\udce9é\udcff', '/%C3%E9%C3%A9%FF'],
    ['with characters that Go does not escape', '/a:b@c;d=e,f+g$h&i', '/a:b@c;d=e,f+g$h&i'],
    ['with characters that Go escapes', "/a*(b)!'?#[c]", '/a%2A%28b%29%21%27%3F%23%5Bc%5D'],
  ])('%s', (_, path, expected) => {
    expect(escape(path, 'path')).toBe(expected);
    expect(unescapePercent(expected)).toBe(path);
  });
});

it('quotes three bytes of an invalid escape', () => {
  expect(['%zz', 'a%4', '%', '%éa', '%aéb', '%a😀', '%41'].map(badEscape)).toEqual([
    '%zz',
    '%4',
    '%',
    '%é',
    '%a\udcc3',
    '%a\udcf0',
    undefined,
  ]);
});
