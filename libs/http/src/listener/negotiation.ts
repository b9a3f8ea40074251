import { Duplex } from 'node:stream';
import { createSecureContext, type SecureContext, type TlsOptions, TLSSocket } from 'node:tls';

/** The protocols that a listener speaks, in the order of its preference. */
const ALPNProtocols = ['h2', 'http/1.1'];

/** A certificate, followed by its CAs, and its key; PEM. */
export interface KeyPair {
  cert: string;
  key: string;
}

/** How TLS is negotiated, in the notation of OpenSSL. */
export interface Negotiation {
  minVersion: 'TLSv1.2' | 'TLSv1.3';
  /** Cipher suites; those of Node by default. */
  ciphers?: string | undefined;
  /** Key exchange groups; those of Node by default. */
  ecdhCurve?: string | undefined;
}

export const defaultNegotiation: Negotiation = { minVersion: 'TLSv1.2' };

/** Selects a certificate by the name that a client sends. Contexts are made once for each certificate. */
export function selectCertificates(
  certificateByName: ((serverName: string) => KeyPair | undefined) | undefined,
  negotiation: Negotiation,
): Pick<TlsOptions, 'SNICallback'> {
  if (certificateByName === undefined) return {};
  const contexts = new WeakMap<KeyPair, SecureContext>();
  return {
    SNICallback(serverName, selected) {
      const pair = certificateByName(serverName);
      if (pair === undefined) return selected(null);
      const context = contexts.get(pair) ?? withProtocols(createSecureContext({ ...pair, ...negotiation }));
      contexts.set(pair, context);
      selected(null, context);
    },
  };
}

/**
 * Makes a context negotiate protocols. Node sets this on the context with which a connection begins. When the server asks for another key
 * share (HelloRetryRequest), OpenSSL reads the protocols with the selected context, and a client of HTTP/2 would get none.
 */
function withProtocols(secureContext: SecureContext): SecureContext {
  const nowhere = new Duplex({ read: () => undefined, write: (_chunk, _encoding, written) => written() });
  new TLSSocket(nowhere, { isServer: true, secureContext, ALPNProtocols }).destroy();
  return secureContext;
}
