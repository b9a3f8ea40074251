import { describe, expect, it } from 'vitest';
import { encodePath, normalizeQuery } from './go-url.ts';

describe('the path of a proxied request', () => {
  it.each([
    ['plain', '/apis/g/v1/echoes', '/apis/g/v1/echoes'],
    ['with a space and a slash that was escaped', '/echoes/a b/c', '/echoes/a%20b/c'],
    ['with a percent sign', '/a%b', '/a%25b'],
    ['with a trailing slash', '/a/', '/a/'],
    ['with characters of other scripts', '/é', '/%C3%A9'],
    ['with what Go leaves alone', '/a:b@c;d=e,f+g$h&i', '/a:b@c;d=e,f+g$h&i'],
    ['with what Go escapes', "/a*(b)!'?#[c]", '/a%2A%28b%29%21%27%3F%23%5Bc%5D'],
  ])('%s', (_, path, expected) => expect(encodePath(path)).toBe(expected));
});

describe('the query of a proxied request', () => {
  it.each([
    ['is sorted by key, values in their order', 'x=1&y=2&x=3', 'x=1&x=3&y=2'],
    ['has a value for each key', 'z=1&a=2&m=%2F&empty=&flag', 'a=2&empty=&flag=&m=%2F&z=1'],
    ['writes spaces as plus', 'q=a+b%2Bc%20d', 'q=a+b%2Bc+d'],
    ['drops pairs with a semicolon or a bad escape', 'a=1;b=2&c=%zz&d=4', 'd=4'],
    ['keeps bytes that are not UTF-8', 'a=%ff', 'a=%FF'],
    ['may be empty', '', ''],
  ])('%s', (_, raw, expected) => expect(normalizeQuery(raw)).toBe(expected));
});
