import {
  cipherSuiteProblems,
  type ConflictCheck,
  opensslCiphers,
  optionGroup,
  type OptionsTable,
} from '@annex/runtime';
import { curveProblems, opensslGroups } from './curves.ts';
import { readSniCertKey } from './sni-certificates.ts';

/** How a server negotiates TLS. */
export interface TlsConfig {
  tlsMinVersion: string;
  tlsCipherSuites: readonly string[];
  tlsCurvePreferences: readonly string[];
  tlsSniCertKey: readonly string[];
}

/** kube-apiserver's options of TLS. */
export const tlsOptions: OptionsTable<TlsConfig> = optionGroup('Serving', {
  tlsMinVersion: {
    flag: 'tls-min-version',
    type: 'string',
    default: 'VersionTLS12',
    choices: ['VersionTLS12', 'VersionTLS13'],
    help: 'The oldest accepted version of TLS.',
  },
  tlsCipherSuites: {
    flag: 'tls-cipher-suites',
    type: 'list',
    default: [],
    help: "Cipher suites of TLS 1.2, by Go's names, such as TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256; those of Node by default. The suites of TLS 1.3 are always accepted.",
  },
  tlsCurvePreferences: {
    flag: 'tls-curve-preferences',
    type: 'list',
    default: [],
    help: 'The numbers of key exchange groups, such as 29 for X25519 and 23 for P-256; those of Node by default.',
  },
  tlsSniCertKey: {
    flag: 'tls-sni-cert-key',
    type: 'repeated',
    default: [],
    help: 'A certificate for clients that send one of its names, as CERT,KEY or CERT,KEY:NAME,NAME; without names, those of the certificate. Repeat the option for more certificates.',
  },
});

/** Returns the invalid values of these options. */
export const tlsConflicts: ConflictCheck<TlsConfig> = (config) => [
  ...cipherSuiteProblems(config.tlsCipherSuites, config.tlsMinVersion).map(
    (problem) => `--tls-cipher-suites: ${problem}`,
  ),
  ...curveProblems(config.tlsCurvePreferences).map((problem) => `--tls-curve-preferences: ${problem}`),
  ...config.tlsSniCertKey.flatMap((text) => {
    const read = readSniCertKey(text);
    return typeof read === 'string' ? [`--tls-sni-cert-key: ${JSON.stringify(text)}: ${read}`] : [];
  }),
];

/** The options of `tls.createSecureContext`. */
export interface Negotiation {
  minVersion: 'TLSv1.2' | 'TLSv1.3';
  ciphers?: string | undefined;
  ecdhCurve?: string | undefined;
}

/** Returns what the options mean to Node. */
export const negotiationOf = (config: Partial<TlsConfig>): Negotiation => ({
  minVersion: config.tlsMinVersion === 'VersionTLS13' ? 'TLSv1.3' : 'TLSv1.2',
  ...defined('ciphers', opensslCiphers(config.tlsCipherSuites ?? [])),
  ...defined('ecdhCurve', opensslGroups(config.tlsCurvePreferences ?? [])),
});

const defined = (name: 'ciphers' | 'ecdhCurve', value: string | undefined) =>
  value === undefined ? {} : { [name]: value };
