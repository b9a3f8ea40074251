import { type FuzzTarget, orError, utf8Text } from '@annex/testkit';
import { ClientConfigError } from '../config.ts';
import { chooseProxy, readProxyUrl } from './choose-proxy.ts';
import { proxyHeaders } from './dial-through-proxy.ts';
import { NoProxy } from './no-proxy.ts';

const server = new URL('https://a.test:6443');

export const fuzzTargets: FuzzTarget[] = [
  {
    name: 'proxy-url',
    seeds: ['http://p:1', 'socks5h://a:b%20c@[::1]:1080', 'p.example:3128', 'https://u@p/', 'ftp://p'],
    dictionary: ['http://', 'https://', 'socks5://', '%', '%zz', '@', ':', '[::1]'],
    maxBytes: 256,
    run(input) {
      const text = utf8Text(input);
      const configured = orError(() => chooseProxy(server, text, {}), [ClientConfigError]);
      if (configured instanceof URL) proxyHeaders(configured);
      const chosen = orError(
        () => chooseProxy(server, undefined, { HTTPS_PROXY: text }),
        [ClientConfigError],
      );
      if (!(chosen instanceof URL)) return;
      proxyHeaders(chosen);
      const again = readProxyUrl(chosen.href);
      if (again.href !== chosen.href) throw new Error(`${chosen.href} is read as ${again.href}`);
    },
  },
  {
    name: 'no-proxy',
    seeds: [
      'a.test\na.test, .b.test,*.c.test:443',
      '10.1.2.3\n10.0.0.0/8,10.1.2.3:6443,11.0.0.0/33',
      '2001:db8::1\n[2001:db8::1]:443,2001:db8::/32,2001:DB8:0::1',
      'x\n*',
    ],
    dictionary: ['/0', '/128', ':443', '[', ']', '*.', '::', '127.0.0.0/8', ','],
    maxBytes: 512,
    run(input) {
      const [host = '', list = ''] = utf8Text(input).split('\n');
      const all = new NoProxy(list).excludes(host, '443');
      const each = list.split(',').some((entry) => new NoProxy(entry).excludes(host, '443'));
      if (all !== each) throw new Error(`the list: ${all}, its entries: ${each}`);
    },
  },
];
