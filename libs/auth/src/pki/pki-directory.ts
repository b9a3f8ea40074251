import { mkdir } from 'node:fs/promises';
import { type ClientIdentity, issueClientCertificate, issueServingCertificate } from './pki-certificate.ts';
import { ensureAuthority, ensureLeaf, type PkiAuthority, type PkiOptions, type PkiPair } from './pki.ts';

/** A directory of keys and certificates: what is there and good is read, everything else is made. */
export interface PkiDirectory {
  authority(name: string, commonName: string): Promise<PkiAuthority>;
  /** The certificate of a server under these DNS names and IP addresses; the name of the file is its common name. */
  serving(name: string, issuer: Promise<PkiAuthority>, subjectAltNames: readonly string[]): Promise<PkiPair>;
  /** The certificate of a client. */
  client(name: string, issuer: Promise<PkiAuthority>, identity: ClientIdentity): Promise<PkiPair>;
}

/** Opens a directory of keys, and makes it where it is missing. Its methods throw PkiError, as `ensurePki` does. */
export async function openPkiDirectory(
  dir: string,
  options: Omit<PkiOptions, 'subjectAltNames'> = {},
): Promise<PkiDirectory> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const context = { dir, now: options.now ?? Date.now(), onIssued: options.onIssued ?? (() => undefined) };
  const { now } = context;
  return {
    authority: (name, commonName) => ensureAuthority(context, name, commonName),
    serving: (name, issuer, subjectAltNames) =>
      ensureLeaf(
        context,
        name,
        issuer,
        (ca, key) => issueServingCertificate(ca, { commonName: name, subjectAltNames }, { now, key }),
        subjectAltNames,
      ),
    client: (name, issuer, identity) =>
      ensureLeaf(context, name, issuer, (ca, key) => issueClientCertificate(ca, identity, { now, key }), []),
  };
}
