import { type ClientIdentity, issueClientCertificate, issueServingCertificate } from './pki-certificate.ts';
import { ensureCA, ensureLeaf, openContext, type PkiCA, type PkiOptions, type PkiPair } from './pki.ts';

/** A directory of keys and certificates: valid files are read, missing ones are created. */
export interface PkiDirectory {
  ca(name: string, commonName: string): Promise<PkiCA>;
  /** The serving certificate for these DNS names and IP addresses; the file name is its common name. */
  serving(name: string, issuer: Promise<PkiCA>, subjectAltNames: readonly string[]): Promise<PkiPair>;
  /** The certificate of a client. */
  client(name: string, issuer: Promise<PkiCA>, identity: ClientIdentity): Promise<PkiPair>;
}

/**
 * Opens a directory of keys, and creates it if it is missing. Its methods throw PkiError, as `ensurePki`
 * does.
 */
export async function openPkiDirectory(
  dir: string,
  options: Omit<PkiOptions, 'subjectAltNames'> = {},
): Promise<PkiDirectory> {
  const context = await openContext(dir, options);
  const { now } = context;
  return {
    ca: (name, commonName) => ensureCA(context, name, commonName),
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
