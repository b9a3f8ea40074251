import { hash } from 'node:crypto';
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

/** Verdicts that are kept for further connections; the oldest is forgotten. */
export const maxKeptVerdicts = 200;

/**
 * Verifies the certificates of connections against the current CAs, each once: a connection's certificate
 * never changes, and a client sends the same one over all of its connections.
 */
export class PeerVerifier {
  readonly #now: () => number;
  #trust: ClientTrust;
  #cached = new WeakMap<PeerCertificate, CachedVerdict>();
  /** By the digest of all certificates that were sent. */
  readonly #kept = new Map<string, CachedVerdict>();

  /** Throws ChainError on a bundle without certificates. */
  constructor(bundle: CaBundle, now: () => number) {
    const live = typeof bundle === 'string' ? fixedText(bundle) : bundle;
    this.#now = now;
    this.#trust = new ClientTrust(live.current());
    live.onChange(() => {
      this.#trust = new ClientTrust(live.current());
      this.#cached = new WeakMap();
      this.#kept.clear();
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
    if (cached === undefined || !isValidAt(cached, now)) {
      this.#cached.set(peer, (cached = this.#verdict(peer, now)));
    }
    return cached.outcome;
  }

  #verdict(peer: PeerCertificate, now: number): CachedVerdict {
    const sent = sentCertificates(peer);
    // DER says where a certificate ends: other certificates are other bytes.
    const key = hash('sha256', Buffer.concat(sent), 'base64');
    const kept = this.#kept.get(key);
    if (kept !== undefined && isValidAt(kept, now)) return kept;
    const verdict = this.#check(sent, now);
    const [oldest] = this.#kept.size >= maxKeptVerdicts ? this.#kept.keys() : [];
    if (oldest !== undefined) this.#kept.delete(oldest);
    this.#kept.set(key, verdict);
    return verdict;
  }

  #check(sent: readonly Buffer[], now: number): CachedVerdict {
    const { outcome, ...period } = this.#trust.check(sent, now);
    const refused = outcome instanceof ChainError;
    return { outcome: refused ? new CredentialsError(`x509: ${outcome.message}`) : outcome, ...period };
  }
}

const isValidAt = ({ from, until }: CachedVerdict, now: number): boolean => from <= now && now <= until;

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
