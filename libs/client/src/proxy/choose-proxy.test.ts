import { describe, expect, it } from 'vitest';
import { chooseProxy } from './choose-proxy.ts';

const chosen = (server: string, env: Record<string, string>, proxyUrl?: string): string | undefined =>
  chooseProxy(new URL(server), proxyUrl, env)?.href;

describe('the proxy of a server', () => {
  it.each([
    ['none', 'https://a.test', {}, undefined],
    ['HTTPS_PROXY for an https server', 'https://a.test', { HTTPS_PROXY: 'http://p:1' }, 'http://p:1/'],
    ['https_proxy, too', 'https://a.test', { https_proxy: 'http://p:1' }, 'http://p:1/'],
    [
      'upper case first',
      'https://a.test',
      { https_proxy: 'http://q:1', HTTPS_PROXY: 'http://p:1' },
      'http://p:1/',
    ],
    ['HTTP_PROXY not for an https server', 'https://a.test', { HTTP_PROXY: 'http://p:1' }, undefined],
    ['HTTP_PROXY for an http server', 'http://a.test', { HTTP_PROXY: 'http://p:1' }, 'http://p:1/'],
    ['HTTPS_PROXY not for an http server', 'http://a.test', { HTTPS_PROXY: 'http://p:1' }, undefined],
    ['ALL_PROXY', 'https://a.test', { ALL_PROXY: 'socks5://p:1' }, 'socks5://p:1'],
    [
      'ALL_PROXY last',
      'https://a.test',
      { all_proxy: 'socks5://q:1', https_proxy: 'socks5://p:1' },
      'socks5://p:1',
    ],
    ['socks5h', 'https://a.test', { HTTPS_PROXY: 'socks5h://p:1' }, 'socks5h://p:1'],
    ['a value without scheme is http', 'https://a.test', { HTTPS_PROXY: 'p:1' }, 'http://p:1/'],
    ['credentials without scheme', 'https://a.test', { HTTPS_PROXY: 'u:w@p:1' }, 'http://u:w@p:1/'],
    ['an empty value is none', 'https://a.test', { HTTPS_PROXY: '', ALL_PROXY: 'http://p:1' }, 'http://p:1/'],
  ])('%s', (_what, server, env, expected) => {
    expect(chosen(server, env as unknown as Record<string, string>)).toBe(expected);
  });

  it.each([
    ['localhost', 'https://localhost:6443', '', false],
    ['an address of 127.0.0.0/8', 'https://127.1.2.3:6443', '', false],
    ['::1', 'https://[::1]:6443', '', false],
    ['every host', 'https://a.test', '*', false],
    ['a host', 'https://a.test', 'b.test, A.test', false],
    ['a subdomain of a host', 'https://b.a.test', 'a.test', false],
    ['no other host that ends with it', 'https://ba.test', 'a.test', true],
    ['only subdomains by a leading dot', 'https://a.test', '.a.test', true],
    ['a subdomain by a leading dot', 'https://b.a.test', '.a.test', false],
    ['a subdomain by a star', 'https://b.a.test', '*.a.test', false],
    ['a host with its port', 'https://a.test:6443', 'a.test:6443', false],
    ['a host with the default port', 'https://a.test', 'a.test:443', false],
    ['not with another port', 'https://a.test', 'a.test:6443', true],
    ['an address', 'https://10.0.0.1', '10.0.0.1', false],
    ['an IPv6 address in another spelling', 'https://[2001:db8::1]', '2001:DB8:0::1', false],
    ['an IPv6 address with its port', 'https://[2001:db8::1]:1', '[2001:db8::1]:1', false],
    ['a network', 'https://10.1.2.3', '10.0.0.0/8', false],
    ['not outside of the network', 'https://11.1.2.3', '10.0.0.0/8', true],
    ['a network does not cover names', 'https://a.test', '0.0.0.0/0', true],
    ['an IPv6 network', 'https://[2001:db8::9]', '2001:db8::/32', false],
    ['an IPv4 address in IPv6 notation', 'https://[::ffff:10.1.2.3]', '10.0.0.0/8', false],
    ['this machine in IPv6 notation', 'https://[::ffff:127.0.0.1]', '', false],
    ['a network in IPv6 notation', 'https://10.1.2.3', '::ffff:10.0.0.0/104', false],
    ['all IPv6 addresses are no IPv4 addresses', 'https://10.1.2.3', '::/0', true],
    ['no address by the end of its text', 'https://10.1.2.3', '.2.3', true],
    ['no address in brackets without a port', 'https://[2001:db8::1]', '[2001:db8::1]', true],
    ['no host by a URL', 'https://a.test', 'a.test/, https://a.test', true],
    ['a host in other scripts', 'https://xn--mnchen-3ya.test', 'MÜNCHEN.test', false],
    ['nothing by an invalid network', 'https://10.1.2.3', '10.0.0.0/33', true],
  ])('NO_PROXY: %s', (_what, server, list, isProxied) => {
    expect(chosen(server, { HTTPS_PROXY: 'http://p:1', NO_PROXY: list }) !== undefined).toBe(isProxied);
  });

  it('a configured URL comes before the environment, also for this machine', () => {
    const env = { HTTPS_PROXY: 'http://q:1', NO_PROXY: '*' };
    expect(chosen('https://localhost:6443', env, 'socks5://p:1')).toBe('socks5://p:1');
  });

  it('a CGI program gets no HTTP_PROXY, which a header of a client can set', () => {
    const env = { HTTP_PROXY: 'http://p:1', HTTPS_PROXY: 'http://p:1', REQUEST_METHOD: 'GET' };
    expect(() => chosen('http://a.test', env)).toThrow('refusing to use HTTP_PROXY value in CGI environment');
    expect(chosen('https://a.test', env)).toBe('http://p:1/');
  });

  it.each([
    ['socks4://p:1', 'unsupported scheme "socks4", must be http, https, socks5, or socks5h'],
    ['[::1', 'the environment has an invalid address of a proxy'],
    ['http://p:70000', 'could not parse: its host or port is invalid'],
  ])('HTTPS_PROXY=%s is refused, where client-go connects without it', (value, message) => {
    expect(() => chosen('https://a.test', { HTTPS_PROXY: value })).toThrow(message);
  });

  it.each([
    ['ftp://p', 'unsupported scheme "ftp", must be http, https, socks5, or socks5h'],
    ['p:1080', 'unsupported scheme "p", must be http, https, socks5, or socks5h'],
    ['p', 'unsupported scheme "", must be http, https, socks5, or socks5h'],
    ['1.2.3.4:1080', 'could not parse: 1.2.3.4:1080'],
    ['u@1.2.3.4:1080', 'could not parse: 1.2.3.4:1080'],
    ['http:p:1', 'could not parse: it has no host'],
    ['socks5://', 'could not parse: it has no host'],
    ['http://a:%ff@p', 'could not parse: its credentials have an invalid escape'],
  ])('%s is refused', (url, message) => {
    expect(() => chosen('https://a.test', {}, url)).toThrow(message);
  });
});
