import type { TokenAuthenticator } from './bearer-token-authenticator.ts';

/** Tokens that name no audience are meant for the audiences of this server, and for nobody else. */
export const audienceAgnostic = (
  authenticator: TokenAuthenticator,
  own: readonly string[],
): TokenAuthenticator => ({
  name: authenticator.name,
  async authenticateToken(token, asked = own) {
    const audiences = own.filter((audience) => asked.includes(audience));
    if (audiences.length === 0 && own.length > 0) return undefined;
    const answer = await authenticator.authenticateToken(token, undefined);
    return answer && { ...answer, audiences };
  },
});
