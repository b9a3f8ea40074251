import {
  anonymousAuthenticator,
  type Authenticator,
  bearerTokenAuthenticator,
  createTokenIssuer,
  feedBoundObjects,
  requestHeaderAuthenticator,
  serviceAccountTokens,
  type TokenAuthenticator,
  type TokenIssuer,
  unionAuthenticator,
  x509Authenticator,
} from '@annex/auth';
import type { ServerDeps } from '@annex/server';
import type { Keys } from './keys.ts';
import type { UpConfig } from './up-options.ts';

/** Who clients are: the authenticators of requests, and the tokens that this server issues and knows. */
export interface Identities {
  authenticator: Authenticator;
  tokens: TokenAuthenticator;
  issuer: TokenIssuer;
}

/** Request headers come first: a certificate of their authority is never taken for a client's own. */
export function createIdentities(config: UpConfig, keys: Keys, deps: Pick<ServerDeps, 'feed'>): Identities {
  const objects = feedBoundObjects(deps.feed);
  const issuer = config.serviceAccountIssuer;
  const audiences = config.apiAudiences.length > 0 ? config.apiAudiences : [issuer];
  const tokens = serviceAccountTokens({
    issuers: [issuer],
    keys: [keys.serviceAccount.verificationKey],
    audiences,
    objects,
  });
  const list = [
    requestHeaderAuthenticator({
      caPem: keys.requestheaderCa,
      allowedNames: config.requestheaderAllowedNames,
      usernameHeaders: config.requestheaderUsernameHeaders,
      groupHeaders: config.requestheaderGroupHeaders,
      uidHeaders: config.requestheaderUidHeaders,
      extraHeadersPrefix: config.requestheaderExtraHeadersPrefix,
    }),
    x509Authenticator({ caPem: keys.clientCa }),
    bearerTokenAuthenticator([tokens]),
  ];
  return {
    authenticator: unionAuthenticator(list, config.anonymousAuth ? anonymousAuthenticator : undefined),
    tokens,
    issuer: createTokenIssuer({ issuer, key: keys.serviceAccount.signingKey, audiences, objects }),
  };
}
