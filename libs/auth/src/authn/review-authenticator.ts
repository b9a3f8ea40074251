import { bearerTokenAuthenticator, type TokenAuthenticator } from './bearer-token-authenticator.ts';
import { unionAuthenticator } from './union-authenticator.ts';
import type { Authenticator } from '../types.ts';

/**
 * Authenticates the bearer token of a TokenReview. An anonymous user is valid for every requested audience;
 * for those of this server if none is requested.
 */
export function reviewAuthenticator(
  tokens: readonly TokenAuthenticator[],
  anonymous: Authenticator | undefined,
  own: readonly string[],
): Authenticator {
  const last: Authenticator | undefined = anonymous && {
    name: anonymous.name,
    async authenticate(credentials) {
      const result = await anonymous.authenticate(credentials);
      return result && { ...result, audiences: credentials.audiences ?? own };
    },
  };
  return unionAuthenticator([bearerTokenAuthenticator(tokens)], last);
}
