import type { DetailedPeerCertificate, PeerCertificate } from 'node:tls';
import { fixedText, type LiveText } from '@annex/runtime';
import { ChainError, ClientTrust, type Verdict, type VerifiedCertificate } from './certificate-chain.ts';
import { CredentialsError } from '../types.ts';

/** PEM of the trusted CAs. */
export type CaBundle = string | LiveText;

/** A {@link Verdict} with the errors of an authenticator. */
interface CachedVerdict extends Omit<Verdict, 'outcome'> {
  outcome: VerifiedCertificate | CredentialsError;
}

/**
 * Verifies the certificates of connections against the current CAs, each once: a connection's certificate
 * never changes.
 */
export class PeerVerifier {
  readonly #now: () => number;
  #trust: ClientTrust;
  #cached = new WeakMap<PeerCertificate, CachedVerdict>();

  /** Throws ChainError on a bundle without certificates. */
  constructor(bundle: CaBundle, now: () => number) {
    const live = typeof bundle === 'string' ? fixedText(bundle) : bundle;
    this.#now = now;
    this.#trust = new ClientTrust(live.current());
    live.onChange(() => {
      this.#trust = new ClientTrust(live.current());
      this.#cached = new WeakMap();
    });
  }

  /** Throws {@link CredentialsError} if the certificate does not lead to a trusted CA at this time. */
  verify(peer: PeerCertificate): VerifiedCertificate {
    const outcome = this.#outcome(peer);
    if (outcome instanceof CredentialsError) throw outcome;
    return outcome;
  }

  /** Returns why the certificate is not trusted at this time; `undefined` if it is. */
  refusal(peer: PeerCertificate): CredentialsError | undefined {
    const outcome = this.#outcome(peer);
    return outcome instanceof CredentialsError ? outcome : undefined;
  }

  #outcome(peer: PeerCertificate): VerifiedCertificate | CredentialsError {
    const now = this.#now();
    let cached = this.#cached.get(peer);
    if (cached === undefined || now < cached.from || now > cached.until) {
      this.#cached.set(peer, (cached = this.#check(peer, now)));
    }
    return cached.outcome;
  }

  #check(peer: PeerCertificate, now: number): CachedVerdict {
    const { outcome, ...period } = this.#trust.check(sentCertificates(peer), now);
    const refused = outcome instanceof ChainError;
    return { outcome: refused ? new CredentialsError(`x509: ${outcome.message}`) : outcome, ...period };
  }
}

/** Returns the DER bytes of a certificate and of its chain. */
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
