import { Buffer, isUtf8 } from 'node:buffer';
import { CredentialsError } from '../types.ts';

/**
 * Browsers cannot set headers of a WebSocket, so they send a bearer token as one of the protocols that they
 * offer.
 */
const tokenPrefix = 'base64url.bearer.authorization.k8s.io.';

/** Splits a `Sec-WebSocket-Protocol` header into its protocols. */
export const offeredProtocols = (header: string): string[] =>
  header.split(',').map((protocol) => protocol.trim());

const isToken = (protocol: string): boolean => protocol.startsWith(tokenPrefix);

/** True for a protocol with a bearer token, also a malformed one: only authenticators may see it. */
export const containsToken = (protocol: string): boolean => protocol.toLowerCase().includes(tokenPrefix);

/**
 * Returns the bearer token among the protocols of a WebSocket. Throws {@link CredentialsError} if
 * kube-apiserver refuses them.
 */
export function webSocketToken(protocols: readonly string[]): string | undefined {
  const [first, ...more] = protocols.filter(isToken);
  if (first === undefined) return undefined;
  const token = decodeToken(first.slice(tokenPrefix.length));
  if (more.length > 0) throw new CredentialsError('multiple base64.bearer.authorization tokens specified');
  if (token === '') return undefined;
  // The server selects a protocol and must not select the token.
  if (protocols.every(isToken)) throw new CredentialsError('missing additional subprotocol');
  return token;
}

function decodeToken(encoded: string): string {
  // Buffer skips characters that are not base64url.
  if (!/^[\w-]*$/.test(encoded) || encoded.length % 4 === 1) {
    throw new CredentialsError('invalid base64.bearer.authorization token encoding');
  }
  const bytes = Buffer.from(encoded, 'base64url');
  if (!isUtf8(bytes)) throw new CredentialsError('invalid base64.bearer.authorization token');
  return bytes.toString();
}
