import type { DetailedPeerCertificate, PeerCertificate } from 'node:tls';
import { ChainError, type ClientTrust, type VerifiedCertificate } from './certificate-chain.ts';
import { CredentialsError } from '../types.ts';

/** Verifies the certificates of connections, each once: a connection's certificate never changes. */
export class PeerVerifier {
  readonly #trust: ClientTrust;
  readonly #now: () => number;
  readonly #verified = new WeakMap<PeerCertificate, VerifiedCertificate | CredentialsError>();

  constructor(trust: ClientTrust, now: () => number) {
    this.#trust = trust;
    this.#now = now;
  }

  /** Throws {@link CredentialsError} where the certificate does not lead to a trusted authority now. */
  verify(peer: PeerCertificate): VerifiedCertificate {
    const now = this.#now();
    let known = this.#verified.get(peer);
    if (known === undefined || (!(known instanceof CredentialsError) && now > known.notAfter)) {
      known = this.#check(peer, now);
      this.#verified.set(peer, known);
    }
    if (known instanceof CredentialsError) throw known;
    return known;
  }

  #check(peer: PeerCertificate, now: number): VerifiedCertificate | CredentialsError {
    try {
      return this.#trust.verify(sentCertificates(peer), now);
    } catch (error) {
      if (error instanceof ChainError) return new CredentialsError(`x509: ${error.message}`);
      throw error;
    }
  }
}

/** The DER bytes of a certificate and of those that came with it. */
function sentCertificates(peer: PeerCertificate): Buffer[] {
  const sent: Buffer[] = [];
  const seen = new Set<object>();
  // Node links a self-signed certificate to itself.
  for (
    let at = peer as DetailedPeerCertificate | undefined;
    at?.raw && !seen.has(at);
    at = at.issuerCertificate
  ) {
    seen.add(at);
    sent.push(at.raw);
  }
  return sent;
}
