import { describe, expect, it } from 'vitest';
import { rewriteLocation } from './location.ts';

const rewrite = (location: string) => rewriteLocation(location, { host: 'ext', port: 443 });

describe('the Location of a response', () => {
  it.each([
    ['/x?y=1#z', 'https://ext:443/x?y=1#z'],
    ['/%2e/../x', 'https://ext:443/%2e/../x'],
    ['/a b', 'https://ext:443/a%20b'],
    ['/caf\xe9', 'https://ext:443/caf%E9'],
    ['/<x>', 'https://ext:443/%3Cx%3E'],
    ['http:///x', 'https://ext:443/x'],
    ['http://ext:443/x', 'https://ext:443/x'],
    ['https://other/x', 'https://other/x'],
    ['//other/x', '//other/x'],
    ['x', 'x'],
    ['?a', '?a'],
    ['#f', '#f'],
    ['mailto:x', 'mailto:x'],
  ])('%s becomes %s', (location, rewritten) => expect(rewrite(location)).toBe(rewritten));

  it.each([
    ['%zz', 'parse "%zz": invalid URL escape "%zz"'],
    ['/x%z', 'parse "/x%z": invalid URL escape "%z"'],
    [':x', 'parse ":x": missing protocol scheme'],
    ['1:x', 'parse "1:x": first path segment in URL cannot contain colon'],
    ['https://h:port/', 'parse "https://h:port/": invalid port ":port" after host'],
  ])('%s is rejected', (location, why) => expect(() => rewrite(location)).toThrow(why));
});
