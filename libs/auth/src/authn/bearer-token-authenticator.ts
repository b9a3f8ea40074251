import { aggregateText } from '../aggregate-text.ts';
import { type Authenticated, type Authenticator, CredentialsError } from '../types.ts';
import { webSocketToken } from './web-socket-token.ts';

/** Authenticates one kind of tokens. */
export interface TokenAuthenticator {
  readonly name: string;
  /**
   * Resolves to `undefined` for tokens of another kind; throws {@link CredentialsError} if the token is
   * invalid.
   */
  authenticateToken(
    token: string,
    audiences: readonly string[] | undefined,
  ): Promise<Authenticated | undefined> | Authenticated | undefined;
}

/**
 * The maximum characters of a token; a longer one is invalid. No head of a request can carry it to a server in Go, which reads one MiB,
 * but a TokenReview can contain it.
 */
export const maxBearerTokenLength = 1024 * 1024;

/** Authenticates `Authorization: Bearer`, and the token that browsers send as a WebSocket protocol. */
export function bearerTokenAuthenticator(list: readonly TokenAuthenticator[]): Authenticator {
  return {
    name: list.map(({ name }) => name).join(','),
    takes: 'bearer token',
    authenticate({ audiences, headers, webSocketProtocols }) {
      const token = bearerToken(headers.authorization);
      if (webSocketProtocols === undefined) {
        return token === undefined ? undefined : authenticateTokens(list, [token], audiences);
      }
      const fromProtocol = webSocketToken(webSocketProtocols);
      const tokens = [token, fromProtocol].filter((sent) => sent !== undefined);
      return tokens.length === 0 ? undefined : authenticateTokens(list, tokens, audiences);
    },
  };
}

/** Returns the user of the first authenticator that accepts the token. */
async function authenticateTokens(
  list: readonly TokenAuthenticator[],
  tokens: readonly string[],
  audiences: readonly string[] | undefined,
): Promise<Authenticated> {
  const refusals: string[] = [];
  for (const token of tokens) {
    refusals.push('invalid bearer token');
    if (token.length > maxBearerTokenLength) continue;
    for (const authenticator of list) {
      try {
        const result = await authenticator.authenticateToken(token, audiences);
        if (result !== undefined) return result;
      } catch (error) {
        if (!(error instanceof CredentialsError)) throw error;
        refusals.push(error.message);
      }
    }
  }
  throw new CredentialsError(aggregateText(refusals));
}

/** Returns the bearer token of an `Authorization` header. */
export function bearerToken(authorization: string | undefined): string | undefined {
  const [scheme, token] = (authorization ?? '').trim().split(' ', 3);
  return scheme?.toLowerCase() === 'bearer' && token ? token : undefined;
}
