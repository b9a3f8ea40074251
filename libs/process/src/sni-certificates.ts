import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import type { CertificateAndKey } from '@annex/auth';
import { type LiveFiles, type LiveKeyPair, openKeyPair } from '@annex/runtime';

/** A value of `--tls-sni-cert-key`. */
export interface SniCertKey {
  certFile: string;
  keyFile: string;
  /** Lower case; the first label of a name can be `*`. Without names, those of the certificate are used. */
  names: readonly string[];
}

/** Parses `CERT,KEY` or `CERT,KEY:NAME,NAME`. Returns the error as text, with kube-apiserver's messages. */
export function readSniCertKey(text: string): SniCertKey | string {
  const colon = text.indexOf(':');
  const files = (colon < 0 ? text : text.slice(0, colon)).split(',').map((file) => file.trim());
  const [certFile = '', keyFile = ''] = files;
  const listed = colon < 0 ? undefined : text.slice(colon + 1).trim();
  if (listed === '') return 'empty names list is not allowed';
  if (files.length !== 2) return 'expected comma separated certificate and key file paths';
  const names = listed === undefined ? [] : listed.split(',').map((name) => name.trim().toLowerCase());
  const address = names.find((name) => isIP(name) !== 0);
  // A client that connects to an address sends no name, and Node selects certificates only by name.
  if (address !== undefined) return `${address} is an IP address; only names can select a certificate`;
  return { certFile, keyFile, names };
}

/** Returns the certificate for a server name that a client sent; undefined for the one of all other clients. */
export type CertificateByName = (serverName: string) => CertificateAndKey | undefined;

/**
 * Opens the certificates of the option, and follows their files. Listed names win over names of certificates, exact names over wildcards,
 * and earlier certificates over later ones. Throws OperatorError FILE_UNREADABLE.
 */
export async function openSniCertificates(
  texts: readonly string[],
  files: LiveFiles,
): Promise<CertificateByName> {
  const options = texts.map(readSniCertKey).filter((read) => typeof read !== 'string');
  const opened = await Promise.all(
    options.map(async ({ certFile, keyFile, names }) => ({
      names,
      pair: await openKeyPair(files, certFile, keyFile),
    })),
  );
  let tables = [listedNames(opened), certificateNames(opened)];
  for (const { pair } of opened)
    pair.onChange(() => (tables = [listedNames(opened), certificateNames(opened)]));
  return (serverName) => {
    const name = serverName.toLowerCase().replace(/\.$/, '');
    for (const table of tables) {
      const pair = table.get(name) ?? table.get(wildcardOf(name));
      if (pair !== undefined) return pair.current();
    }
    return undefined;
  };
}

const wildcardOf = (name: string): string => (name.includes('.') ? `*${name.slice(name.indexOf('.'))}` : '*');

interface Opened {
  names: readonly string[];
  pair: LiveKeyPair;
}

/** The first certificate of each name: by listed names, then by names of the certificates without. */
const listedNames = (opened: readonly Opened[]): ReadonlyMap<string, LiveKeyPair> =>
  firstOf([
    ...opened.flatMap(({ names, pair }) => names.map((name) => [name, pair] as const)),
    ...opened.flatMap(({ names, pair }) =>
      names.length > 0 ? [] : namesOf(pair).map((name) => [name, pair] as const),
    ),
  ]);

/** As Go does, other names select a certificate that is for them, although others are listed. */
const certificateNames = (opened: readonly Opened[]): ReadonlyMap<string, LiveKeyPair> =>
  firstOf(opened.flatMap(({ pair }) => alternativeNames(pair).map((name) => [name, pair] as const)));

/** The last entry of a name would win. */
const firstOf = (entries: (readonly [string, LiveKeyPair])[]): ReadonlyMap<string, LiveKeyPair> =>
  new Map(entries.reverse());

/** The DNS names of a certificate, and its common name. */
function namesOf(pair: LiveKeyPair): string[] {
  const common = /^CN=(.*)$/m.exec(new X509Certificate(pair.current().cert).subject)?.[1]?.trim() ?? '';
  return [...(isIP(common) === 0 ? [common.toLowerCase()] : []), ...alternativeNames(pair)];
}

function alternativeNames(pair: LiveKeyPair): string[] {
  const { subjectAltName = '' } = new X509Certificate(pair.current().cert);
  return [...subjectAltName.matchAll(/DNS:([^,]+)/g)].map(([, name = '']) => name.trim().toLowerCase());
}
