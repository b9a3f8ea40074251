import { bearerTokenAuthenticator, type TokenAuthenticator } from './bearer-token-authenticator.ts';
import { unionAuthenticator } from './union-authenticator.ts';
import type { Authenticator } from '../types.ts';

/**
 * Knows who a request with nothing but a bearer token is made by, as TokenReviews ask: anonymous counts for every
 * audience that is asked for, and for those of this server where none is.
 */
export function reviewAuthenticator(
  tokens: readonly TokenAuthenticator[],
  anonymous: Authenticator | undefined,
  own: readonly string[],
): Authenticator {
  const last: Authenticator | undefined = anonymous && {
    name: anonymous.name,
    async authenticate(credentials) {
      const answer = await anonymous.authenticate(credentials);
      return answer && { ...answer, audiences: credentials.audiences ?? own };
    },
  };
  return unionAuthenticator([bearerTokenAuthenticator(tokens)], last);
}
