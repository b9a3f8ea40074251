import { parseOptions } from '@annex/runtime';
import { expect, it } from 'vitest';
import { negotiationOf, tlsConflicts, tlsOptions } from './tls-options.ts';

const parse = (argv: string[]) => parseOptions(tlsOptions, argv, {}, tlsConflicts);

it.each<[what: string, argv: string[], errors: string[]]>([
  ['a suite of HTTP/2', ['--tls-cipher-suites=TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256'], []],
  [
    'an unknown suite',
    ['--tls-cipher-suites=TLS_NULL'],
    ["--tls-cipher-suites: Cipher suite TLS_NULL not supported or doesn't exist"],
  ],
  [
    'a suite that Node has not',
    ['--tls-cipher-suites=TLS_RSA_WITH_RC4_128_SHA'],
    ['--tls-cipher-suites: Cipher suite TLS_RSA_WITH_RC4_128_SHA is not in the OpenSSL of Node'],
  ],
  [
    'suites without one of HTTP/2',
    ['--tls-cipher-suites=TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384'],
    [
      '--tls-cipher-suites: HTTP/2 over TLS 1.2 needs TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256 or TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256',
    ],
  ],
  [
    'suites of TLS 1.3 alone, which need no other',
    ['--tls-cipher-suites=TLS_AES_128_GCM_SHA256', '--tls-min-version=VersionTLS13'],
    [],
  ],
  ['two groups', ['--tls-curve-preferences=29,23'], []],
  [
    'a group twice',
    ['--tls-curve-preferences=29,29'],
    ['--tls-curve-preferences: duplicate curve preference 29'],
  ],
  [
    'an unknown group',
    ['--tls-curve-preferences=1'],
    ['--tls-curve-preferences: curve preference 1 is unknown; known are 23, 24, 25, 29, 4587, 4588, 4589'],
  ],
  ['two certificates', ['--tls-sni-cert-key=a.crt,a.key', '--tls-sni-cert-key=b.crt,b.key:b.io,*.b.io'], []],
  [
    'a certificate without a key',
    ['--tls-sni-cert-key=a.crt'],
    ['--tls-sni-cert-key: "a.crt": expected comma separated certificate and key file paths'],
  ],
  [
    'an empty list of names',
    ['--tls-sni-cert-key=a.crt,a.key:'],
    ['--tls-sni-cert-key: "a.crt,a.key:": empty names list is not allowed'],
  ],
  [
    'an IP address as a name',
    ['--tls-sni-cert-key=a.crt,a.key:10.0.0.1'],
    [
      '--tls-sni-cert-key: "a.crt,a.key:10.0.0.1": 10.0.0.1 is an IP address; only names can select a certificate',
    ],
  ],
])('the errors of %s', (_, argv, errors) => {
  const parsed = parse(argv);
  expect(parsed.kind === 'errors' ? parsed.errors.map(({ message }) => message) : []).toEqual(errors);
});

it('the suites of TLS 1.3 stay, as in Go', () => {
  const parsed = parse([
    '--tls-cipher-suites=TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256',
    '--tls-curve-preferences=29',
  ]);
  expect(parsed.kind === 'config' && negotiationOf(parsed.config)).toEqual({
    minVersion: 'TLSv1.2',
    ciphers:
      'TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:ECDHE-ECDSA-AES128-GCM-SHA256',
    ecdhCurve: 'X25519',
  });
});
