import type { TokenAuthenticator } from './bearer-token-authenticator.ts';

/** Limits tokens that carry no audience to the audiences of this server. */
export const audienceAgnostic = (
  authenticator: TokenAuthenticator,
  own: readonly string[],
): TokenAuthenticator => ({
  name: authenticator.name,
  async authenticateToken(token, requested = own) {
    const audiences = own.filter((audience) => requested.includes(audience));
    if (audiences.length === 0 && own.length > 0) return undefined;
    const result = await authenticator.authenticateToken(token, undefined);
    return result && { ...result, audiences };
  },
});
