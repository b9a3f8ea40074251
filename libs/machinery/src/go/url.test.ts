import { describe, expect, it } from 'vitest';
import { parseRequestUrl, parseUrl, UrlError } from './url.ts';

describe('parseUrl', () => {
  it.each([
    ['https://user:pass@Example.com:80/path?q=v#f', 'https', 'Example.com:80', '/path', 'q=v'],
    ['/absolute path', '', '', '/absolute%20path', ''],
    ['https://[::1]:80/', 'https', '[::1]:80', '/', ''],
    ['https://example.com/a%2Fb', 'https', 'example.com', '/a%2Fb', ''],
    ['HTTPS://h', 'https', 'h', '', ''],
    ['//host/p', '', 'host', '/p', ''],
    ['*', '', '', '*', ''],
  ])('parses %s', (text, scheme, host, escapedPath, rawQuery) => {
    expect(parseUrl(text)).toMatchObject({ scheme, host, escapedPath, rawQuery });
  });

  it('has an opaque part if the scheme is not followed by a path', () => {
    expect(parseUrl('mailto:me@x')).toMatchObject({ scheme: 'mailto', opaque: 'me@x', host: '' });
  });

  it.each([
    ['https://a:b:c/', 'invalid port ":b:c" after host'],
    ['http://[::1', "missing ']' in host"],
    ['http://[1.2.3.4]/', 'invalid IP-literal'],
    [
      'http://[::g]/',
      'invalid host: ParseAddr("::g"): each colon-separated field must have at least one digit (at "g")',
    ],
    ['http://h/%zz', 'invalid URL escape "%zz"'],
    ['http://a b/', 'invalid character " " in host name'],
    ['http://x y@h/', 'net/url: invalid userinfo'],
    ['a:b', undefined],
    ['1:b', 'first path segment in URL cannot contain colon'],
    [':x', 'missing protocol scheme'],
    ['\u0001', 'net/url: invalid control character in URL'],
  ])('reports the error of %j', (text, why) => {
    if (why === undefined) expect(() => parseUrl(text)).not.toThrow();
    else
      expect(() => parseUrl(text)).toThrow(
        new UrlError(`parse ${JSON.stringify(text).replace('\\u0001', '\\x01')}: ${why}`),
      );
  });
});

describe('parseRequestUrl', () => {
  it.each([
    ['', 'parse "": empty url'],
    ['../relative-path', 'parse "../relative-path": invalid URI for request'],
  ])('refuses a relative reference: %j', (text, why) => {
    expect(() => parseRequestUrl(text)).toThrow(new UrlError(why));
  });
});
