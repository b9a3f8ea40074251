import { type FuzzTarget, orError, utf8Text } from '@annex/testkit';
import { ClientConfigError } from '../config.ts';
import { chooseProxy, readProxyUrl } from './choose-proxy.ts';
import { proxyHeaders } from './dial-through-proxy.ts';

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
];
