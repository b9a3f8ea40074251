import { randomNumbers } from './random-targets.ts';

/** A server, the variables of the environment, and the `proxy-url` of a kubeconfig. */
export interface ProxyCase {
  server: string;
  env: Record<string, string>;
  proxyUrl: string;
}

const names = [
  'a.test',
  'b.a.test',
  'ba.test',
  'default.svc',
  'kubernetes.default.svc',
  'a',
  'xn--mnchen-3ya.test',
];
const addresses = [
  ...[
    '10.1.2.3',
    '127.0.0.1',
    '127.9.8.7',
    '128.0.0.1',
    '169.254.169.254',
    '0.0.0.0',
    '::1',
    '::',
    '2001:db8::1',
  ],
  ...['2001:DB8:0::1', '2001:db8:1::', 'fe80::1', '::ffff:10.1.2.3', '::ffff:127.0.0.1', '::ffff:7f00:1'],
];
const serverHosts = [...names, 'A.Test', 'localhost', 'localhost.test', 'münchen.test', 'a.test.'];
const ports = ['', '', '', ':443', ':80', ':6443', ':1'];

const entries = [
  ...[
    '',
    '*',
    '.',
    '*.',
    '*a',
    '*.a.test',
    '.a.test',
    '..a.test',
    'a.test.',
    'A.TEST',
    'test',
    '.test',
    '.svc',
    'svc',
  ],
  ...[
    '*.svc',
    '*.*',
    '.münchen.test',
    'MÜNCHEN.test',
    'localhost',
    '10.1.2',
    '.3',
    '.2.3',
    '10.1.2.3/32',
    '10.0.0.0/8',
  ],
  ...[
    '10.0.0.0/08',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '010.1.2.3',
    '10.1.2.3/-1',
    '0.0.0.0/0',
    '::/0',
    '/8',
  ],
  ...[
    '2001:db8::/32',
    '2001:db8::/129',
    '::ffff:10.0.0.0/104',
    '::ffff:0:0/96',
    '::ffff:0:0/90',
    '[::1]',
    '[2001:db8::1]',
  ],
  ...[
    'fe80::1%en0',
    'fe80::/10',
    'fe80::%1/10',
    '[::1',
    '::1]',
    ':443',
    '[]:443',
    '[[::1]]:443',
    'a.test:',
    'a.test:https',
  ],
  ...[
    'a.test:443:1',
    'http://a.test',
    'a b',
    'a.test;b',
    '\ta.test',
    'a.test/',
    '%61.test',
    '1.2.3.4.5',
    '0x7f.1',
    '__proto__',
  ],
];

const proxies = [
  ...[
    'p:1',
    'p',
    'P.Test:3128',
    'http://p:1',
    'https://p',
    'HTTP://p:1',
    'socks5://p:1',
    'socks5h://p',
    'socks4://p:1',
    'ftp://p:1',
  ],
  ...[
    'http:p:1',
    'http:/p:1',
    'http:///p:1',
    'http://',
    'socks5://',
    '://p',
    ':1',
    '//p:1',
    '/p',
    '?',
    '#',
    'p:1/path?a#b',
    'p:',
  ],
  ...[
    'http://p:',
    'http://p:0',
    'http://p:x',
    'http://p:99999',
    'http://p:1:2',
    'p:1:2',
    'http://[::1]:1',
    '[::1]:1',
    '::1',
    '[::1',
  ],
  ...[
    'http://[::ffff:1.2.3.4]:1',
    'http://[1.2.3.4]:1',
    'http://[fe80::1%25en0]:1',
    '10.0.0.1:1',
    '10.0.0.1',
    '127.1:1',
    'http://0x7f.1',
  ],
  ...[
    'http://u@p:1',
    'http://u:@p:1',
    'http://:w@p:1',
    'http://u:w%20x@p:1',
    'u:w@p:1',
    'http://u:w:x@p:1',
    'http://u@v@p:1',
    'http://@p',
  ],
  ...[
    'http://u:%zz@p:1',
    'http://u:%ff@p:1',
    'http://u w@p:1',
    'socks5://u:w%40@p:1',
    'http://é:ü@p:1',
    'http://p%',
    'http://p%20q:1',
  ],
  ...[
    ' p:1',
    'p:1 ',
    'http://p:1 ',
    'http://p\t:1',
    'p\\q',
    'http://p\\q:1',
    'http://münchen.test:1',
    'http://a_b:1',
    'http://a..b:1',
    'mailto:p@q',
  ],
  ...[
    'localhost:1',
    'http://p!:1',
    'http://p|q:1',
    'http://p"q',
    'http://1.2.3.4.5:1',
    'http://256.1.1.1:1',
    'socks5://P:1',
    'socks5://p%zz:1',
  ],
];

/** Returns random cases, reproducible by seed. */
export function randomProxies(count: number, seed: number): ProxyCase[] {
  const next = randomNumbers(seed);
  const one = <T>(list: readonly T[]): T => list[next(list.length)] as T;
  const sometimes = (value: () => string): string => (next(3) === 0 ? '' : value());
  const host = (): string => {
    if (next(2) === 0) return one(serverHosts);
    const address = one(addresses);
    return address.includes(':') ? `[${address}]` : address;
  };
  const entry = (): string => {
    if (next(2) === 0) return one(entries);
    const named = next(2) === 0 ? one(names) : one(addresses);
    const port = one(ports);
    return `${named.includes(':') && port !== '' ? `[${named}]` : named}${port}`;
  };
  const list = (): string => Array.from({ length: next(4) }, entry).join(one([',', ', ', ',,', ' ,', ';']));
  const proxy = (): string => {
    if (next(3) > 0) return one(proxies);
    return `${one(['', 'http://', 'https://', 'socks5://', 'socks5h://'])}${one(['', '', 'u@', 'u:w@'])}${one(['p', 'q.test', '[::2]'])}${one(ports)}`;
  };
  return Array.from({ length: count }, (): ProxyCase => {
    const scheme = one(['https', 'https', 'http']);
    const env = {
      HTTPS_PROXY: sometimes(proxy),
      https_proxy: sometimes(proxy),
      HTTP_PROXY: sometimes(proxy),
      http_proxy: sometimes(proxy),
      NO_PROXY: sometimes(list),
      no_proxy: sometimes(list),
      ALL_PROXY: sometimes(proxy),
      REQUEST_METHOD: next(10) === 0 ? 'GET' : '',
    };
    return { server: `${scheme}://${host()}${one(ports)}/path`, env, proxyUrl: sometimes(proxy) };
  });
}
