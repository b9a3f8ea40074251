import { getCiphers } from 'node:tls';

/** OpenSSL's names of the cipher suites that Go implements, by Go's name. Those without a name are not in OpenSSL. */
const opensslNames = new Map<string, string | undefined>([
  ['TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256', 'ECDHE-ECDSA-AES128-GCM-SHA256'],
  ['TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256', 'ECDHE-RSA-AES128-GCM-SHA256'],
  ['TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384', 'ECDHE-ECDSA-AES256-GCM-SHA384'],
  ['TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384', 'ECDHE-RSA-AES256-GCM-SHA384'],
  ['TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256', 'ECDHE-ECDSA-CHACHA20-POLY1305'],
  ['TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256', 'ECDHE-RSA-CHACHA20-POLY1305'],
  // Older names of the same suites.
  ['TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305', 'ECDHE-ECDSA-CHACHA20-POLY1305'],
  ['TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305', 'ECDHE-RSA-CHACHA20-POLY1305'],
  ['TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA', 'ECDHE-ECDSA-AES128-SHA'],
  ['TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA', 'ECDHE-RSA-AES128-SHA'],
  ['TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA', 'ECDHE-ECDSA-AES256-SHA'],
  ['TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA', 'ECDHE-RSA-AES256-SHA'],
  // Insecure.
  ['TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256', 'ECDHE-ECDSA-AES128-SHA256'],
  ['TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256', 'ECDHE-RSA-AES128-SHA256'],
  ['TLS_RSA_WITH_AES_128_GCM_SHA256', 'AES128-GCM-SHA256'],
  ['TLS_RSA_WITH_AES_256_GCM_SHA384', 'AES256-GCM-SHA384'],
  ['TLS_RSA_WITH_AES_128_CBC_SHA256', 'AES128-SHA256'],
  ['TLS_RSA_WITH_AES_128_CBC_SHA', 'AES128-SHA'],
  ['TLS_RSA_WITH_AES_256_CBC_SHA', 'AES256-SHA'],
  ['TLS_RSA_WITH_3DES_EDE_CBC_SHA', undefined],
  ['TLS_ECDHE_RSA_WITH_3DES_EDE_CBC_SHA', undefined],
  ['TLS_RSA_WITH_RC4_128_SHA', undefined],
  ['TLS_ECDHE_RSA_WITH_RC4_128_SHA', undefined],
  ['TLS_ECDHE_ECDSA_WITH_RC4_128_SHA', undefined],
]);

/** The suites of TLS 1.3. Go always offers all of them, whichever are configured. */
const suitesOfTls13 = ['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'];

/** The suites of which HTTP/2 over TLS 1.2 needs one. */
const suitesOfHttp2 = ['TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256', 'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256'];

/** Returns what is invalid about names of cipher suites, with the texts of kube-apiserver where it has one. */
export function cipherSuiteProblems(names: readonly string[], minVersion: string): string[] {
  if (names.length === 0) return [];
  const available = new Set(getCiphers());
  const problems = names.flatMap((name) => {
    if (suitesOfTls13.includes(name)) return [];
    if (!opensslNames.has(name)) return [`Cipher suite ${name} not supported or doesn't exist`];
    const openssl = opensslNames.get(name);
    return openssl !== undefined && available.has(openssl.toLowerCase())
      ? []
      : [`Cipher suite ${name} is not in the OpenSSL of Node`];
  });
  if (problems.length > 0 || minVersion === 'VersionTLS13') return problems;
  if (names.some((name) => suitesOfHttp2.includes(name))) return [];
  return [`HTTP/2 over TLS 1.2 needs ${suitesOfHttp2.join(' or ')}`];
}

/** Returns OpenSSL's list of these suites in their order; undefined for Node's default. */
export function opensslCiphers(names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined;
  const older = names.flatMap((name) => opensslNames.get(name) ?? []);
  return [...suitesOfTls13, ...older].join(':');
}
