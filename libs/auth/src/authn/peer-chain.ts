import type { DetailedPeerCertificate, PeerCertificate } from 'node:tls';
import { fixedText, type LiveText } from '@annex/runtime';
import { ChainError, ClientTrust, type Verdict, type VerifiedCertificate } from './certificate-chain.ts';
import { CredentialsError } from '../types.ts';

/** PEM of the authorities to trust. */
export type CaBundle = string | LiveText;

/** A {@link Verdict} in the words of an authenticator. */
interface Known extends Omit<Verdict, 'answer'> {
  answer: VerifiedCertificate | CredentialsError;
}

/** Verifies the certificates of connections by the present authorities, each once: a connection's certificate never changes. */
export class PeerVerifier {
  readonly #now: () => number;
  #trust: ClientTrust;
  #known = new WeakMap<PeerCertificate, Known>();

  /** Throws ChainError on a bundle without certificates. */
  constructor(bundle: CaBundle, now: () => number) {
    const live = typeof bundle === 'string' ? fixedText(bundle) : bundle;
    this.#now = now;
    this.#trust = new ClientTrust(live.current());
    live.onChange(() => {
      this.#trust = new ClientTrust(live.current());
      this.#known = new WeakMap();
    });
  }

  /** Throws {@link CredentialsError} where the certificate does not lead to a trusted authority now. */
  verify(peer: PeerCertificate): VerifiedCertificate {
    const answer = this.#answer(peer);
    if (answer instanceof CredentialsError) throw answer;
    return answer;
  }

  /** Why the certificate is not trusted now; `undefined` where it is. */
  refusal(peer: PeerCertificate): CredentialsError | undefined {
    const answer = this.#answer(peer);
    return answer instanceof CredentialsError ? answer : undefined;
  }

  #answer(peer: PeerCertificate): VerifiedCertificate | CredentialsError {
    const now = this.#now();
    let known = this.#known.get(peer);
    if (known === undefined || now < known.from || now > known.until) {
      this.#known.set(peer, (known = this.#check(peer, now)));
    }
    return known.answer;
  }

  #check(peer: PeerCertificate, now: number): Known {
    const { answer, ...period } = this.#trust.check(sentCertificates(peer), now);
    const refused = answer instanceof ChainError;
    return { answer: refused ? new CredentialsError(`x509: ${answer.message}`) : answer, ...period };
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
