import { Buffer, isUtf8 } from 'node:buffer';
import { CredentialsError } from '../types.ts';

/** Browsers cannot set headers of a WebSocket: they send a bearer token as one of the protocols that they offer. */
const tokenPrefix = 'base64url.bearer.authorization.k8s.io.';

/** The protocols of a `Sec-WebSocket-Protocol` header. */
export const offeredProtocols = (header: string): string[] =>
  header.split(',').map((protocol) => protocol.trim());

const isToken = (protocol: string): boolean => protocol.startsWith(tokenPrefix);

/** True for a protocol that holds a bearer token, also one that is not spelled right: nobody but an authenticator may see it. */
export const holdsToken = (protocol: string): boolean => protocol.toLowerCase().includes(tokenPrefix);

/** The bearer token among the protocols of a WebSocket. Throws {@link CredentialsError} where kube-apiserver refuses them. */
export function webSocketToken(protocols: readonly string[]): string | undefined {
  const [first, ...more] = protocols.filter(isToken);
  if (first === undefined) return undefined;
  const token = decodeToken(first.slice(tokenPrefix.length));
  if (more.length > 0) throw new CredentialsError('multiple base64.bearer.authorization tokens specified');
  if (token === '') return undefined;
  // The server chooses a protocol, and must not choose the token.
  if (protocols.every(isToken)) throw new CredentialsError('missing additional subprotocol');
  return token;
}

function decodeToken(encoded: string): string {
  // Buffer would skip what is no base64url.
  if (!/^[\w-]*$/.test(encoded) || encoded.length % 4 === 1) {
    throw new CredentialsError('invalid base64.bearer.authorization token encoding');
  }
  const bytes = Buffer.from(encoded, 'base64url');
  if (!isUtf8(bytes)) throw new CredentialsError('invalid base64.bearer.authorization token');
  return bytes.toString();
}
