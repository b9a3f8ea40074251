import { describe, expect, it } from 'vitest';
import { parseRequestTarget } from './request-target.ts';

describe('parseRequestTarget', () => {
  it.each([
    ['a path', 'GET', '/api/v1', '/api/v1', '/api/v1'],
    ['a path that ends with a question mark', 'GET', '/api?', '/api', '/api?'],
    ['an escaped slash', 'GET', '/a%2Fb', '/a/b', '/a%2Fb'],
    ['bytes beyond ASCII', 'GET', '/\u00c3\u00a9', '/é', '/%C3%A9'],
    ['characters that Go escapes', 'GET', '/a{b}', '/a{b}', '/a%7Bb%7D'],
    ['a number sign in the path', 'GET', '/a#b?c#d', '/a#b', '/a%23b?c#d'],
    ['two leading slashes, which begin no host', 'GET', '//host/a', '//host/a', '//host/a'],
    ['a URL', 'GET', 'http://host:80/a%2fb?c', '/a/b', '/a%2fb?c'],
    ['a URL of another scheme', 'GET', 'FTP://u:p@[::1]/a', '/a', '/a'],
    ['a URL without a host', 'GET', 'http:/a', '/a', '/a'],
    ['a URL without a path', 'GET', 'http://host?a', '', '/?a'],
    ['the whole server', 'OPTIONS', '*', '*', '*'],
    ['a host to be connected to', 'CONNECT', 'host:443', '', '/'],
    ['a path to be connected to', 'CONNECT', '/a', '/a', '/a'],
    ['an opaque part after the scheme', 'GET', 'mailto:me', '', 'me'],
  ])('reads %s', (_what, method, target, path, uri) => {
    expect(parseRequestTarget(method, target)).toMatchObject({ path, uri });
  });

  it.each([
    ['nothing', ''],
    ['a bad escape', '/%zz'],
    ['a relative path', 'a/b'],
    ['a control character', '/a\u0001'],
    ['a control character in the query', '/a?\u007f'],
    ['a star with a query', '*?a'],
    ['a host with a hash', 'http://host#/a'],
    ['an invalid port', 'http://host:b/a'],
  ])('refuses %s', (_what, target) => {
    expect(() => parseRequestTarget('GET', target)).toThrow(/^parse "/);
  });
});
