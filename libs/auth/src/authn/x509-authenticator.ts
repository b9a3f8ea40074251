import { createHash } from 'node:crypto';
import type { VerifiedCertificate } from './certificate-chain.ts';
import { type CaBundle, PeerVerifier } from './peer-chain.ts';
import { type Authenticated, type Authenticator, CredentialsError, type UserInfo } from '../types.ts';

/** The extra key with the ID of the credential. Source: kube-apiserver. */
export const credentialIdKey = 'authentication.kubernetes.io/credential-id';

export interface X509Options {
  /** The CAs whose certificates name users. */
  caPem: CaBundle;
  /** Milliseconds since the epoch. */
  now?: () => number;
}

/** Authenticates client certificates: the common name is the user, the organizations are its groups. */
export function x509Authenticator({ caPem, now = Date.now }: X509Options): Authenticator {
  const verifier = new PeerVerifier(caPem, now);
  const results = new WeakMap<VerifiedCertificate, Authenticated>();
  return {
    name: 'x509',
    takes: 'client certificate that names a user',
    authenticate({ peerCertificate }) {
      if (peerCertificate === undefined) return undefined;
      const verified = verifier.verify(peerCertificate);
      let result = results.get(verified);
      if (result === undefined) {
        const user = certificateUser(verified);
        if (user === undefined) return undefined;
        result = { user, by: 'x509' };
        results.set(verified, result);
      }
      return result;
    },
  };
}

const commonNames = new WeakMap<VerifiedCertificate, string>();

/**
 * Returns the last common name of a subject, as Go reads it. Reads each certificate once: Node converts all of it, and a proxy sends one
 * certificate for all users.
 */
export function commonNameOf(verified: VerifiedCertificate): string {
  let name = commonNames.get(verified);
  if (name === undefined) {
    name = subjectValues(verified.leaf, 'CN').at(-1) ?? '';
    commonNames.set(verified, name);
  }
  return name;
}

function certificateUser(verified: VerifiedCertificate): UserInfo | undefined {
  const name = commonNameOf(verified);
  if (name === '') return undefined;
  const { uids } = verified.details;
  if (uids.length > 1) throw new CredentialsError(`x509: expected 1 UID, but found ${uids.length}`);
  if (uids[0] === '') throw new CredentialsError('x509: UID cannot be an empty string');
  const digest = createHash('sha256').update(verified.leaf.raw).digest('hex');
  return {
    name,
    ...(uids[0] === undefined ? {} : { uid: uids[0] }),
    groups: subjectValues(verified.leaf, 'O'),
    extra: { [credentialIdKey]: [`X509SHA256=${digest}`] },
  };
}

function subjectValues(leaf: VerifiedCertificate['leaf'], attribute: 'CN' | 'O'): string[] {
  const value = (leaf.toLegacyObject().subject as unknown as Record<string, string | string[] | undefined>)?.[
    attribute
  ];
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}
