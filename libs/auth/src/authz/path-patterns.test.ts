import { describe, expect, it } from 'vitest';
import { PathPatterns } from './path-patterns.ts';

describe('PathPatterns', () => {
  it.each([
    ['an equal path', ['/a'], '/a', true],
    ['no path below one without a star', ['/a'], '/a/b', false],
    ['every path, with a star alone', ['*'], '/a', true],
    ['a path with the prefix', ['/a*'], '/ab', true],
    ['the prefix itself', ['/a*'], '/a', true],
    ['a path with one of several prefixes', ['/c*', '/a*', '/b/*'], '/b/x', true],
    ['a path with a prefix that another one begins', ['/a/b*', '/a*', '/a/b/c*'], '/a/z', true],
    ['no path between two prefixes', ['/a*', '/c*'], '/b', false],
    ['a prefix with several stars at its end', ['/a**'], '/ab', true],
    ['a star in the middle only as itself', ['/a*b'], '/axb', false],
  ])('match %s', (_, urls, path, expected) => {
    expect(new PathPatterns(urls).match(path)).toBe(expected);
  });

  it('match nothing if the list is null', () => {
    expect(new PathPatterns(null).match('/')).toBe(false);
  });
});
