import { aggregateText } from '../aggregate-text.ts';
import { type Authenticated, type Authenticator, type Credentials, CredentialsError } from '../types.ts';

/** Knows one kind of tokens. */
export interface TokenAuthenticator {
  readonly name: string;
  /** Resolves to `undefined` for tokens of another kind; throws {@link CredentialsError} where the token does not hold. */
  authenticateToken(
    token: string,
    audiences: readonly string[] | undefined,
  ): Promise<Authenticated | undefined> | Authenticated | undefined;
}

/** Authenticates `Authorization: Bearer`, and the token that browsers send as a WebSocket protocol. */
export function bearerTokenAuthenticator(list: readonly TokenAuthenticator[]): Authenticator {
  return {
    name: list.map(({ name }) => name).join(','),
    takes: 'bearer token',
    authenticate(credentials) {
      const token = bearerToken(credentials);
      return token === undefined ? undefined : authenticateToken(list, token, credentials.audiences);
    },
  };
}

async function authenticateToken(
  list: readonly TokenAuthenticator[],
  token: string,
  audiences: readonly string[] | undefined,
): Promise<Authenticated> {
  const refusals = ['invalid bearer token'];
  for (const authenticator of list) {
    try {
      const answer = await authenticator.authenticateToken(token, audiences);
      if (answer !== undefined) return answer;
    } catch (error) {
      if (!(error instanceof CredentialsError)) throw error;
      refusals.push(error.message);
    }
  }
  throw new CredentialsError(aggregateText(refusals));
}

/** The bearer token that a request carries. */
export function bearerToken({ headers }: Pick<Credentials, 'headers'>): string | undefined {
  const [scheme, token] = (headers.authorization ?? '').trim().split(' ', 3);
  if (scheme?.toLowerCase() === 'bearer' && token) return token;
  return webSocketToken(headers['sec-websocket-protocol'], headers.upgrade);
}

const protocolPrefix = 'base64url.bearer.authorization.k8s.io.';

function webSocketToken(protocols: string | undefined, upgrade: string | undefined): string | undefined {
  if (protocols === undefined || upgrade?.toLowerCase() !== 'websocket') return undefined;
  const encoded = protocols
    .split(',')
    .map((protocol) => protocol.trim())
    .find((p) => p.startsWith(protocolPrefix));
  if (encoded === undefined) return undefined;
  return Buffer.from(encoded.slice(protocolPrefix.length), 'base64url').toString('utf8') || undefined;
}
