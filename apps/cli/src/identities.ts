import {
  type Authenticator,
  bearerTokenAuthenticator,
  requestHeaderAuthenticator,
  type TokenIssuer,
  unionAuthenticator,
  x509Authenticator,
} from '@annex/auth';
import type { LiveFiles, Part } from '@annex/runtime';
import { openAuthentication, tokenIssuerOf } from '@annex/process';
import type { ServerDeps } from '@annex/server';
import type { Keys } from './keys.ts';
import type { UpConfig } from './up-options.ts';

/** Who clients are: the authenticators of requests, and the tokens that this server issues and knows. */
export interface Identities {
  authenticator: Authenticator;
  /** Who TokenReviews say that a token stands for. */
  reviews: Authenticator;
  issuer: TokenIssuer;
  part: Part;
}

/** Request headers come first: a certificate of their authority is never taken for a client's own. */
export async function openIdentities(
  config: UpConfig,
  keys: Keys,
  files: LiveFiles,
  deps: Pick<ServerDeps, 'feed' | 'store' | 'clock' | 'log' | 'metrics'>,
): Promise<Identities> {
  const { signingKey, verificationKeys } = keys.serviceAccount;
  const opened = await openAuthentication(config, { files, deps, verificationKeys });
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
    bearerTokenAuthenticator(opened.tokens),
  ];
  const issuer = tokenIssuerOf(config, signingKey, deps);
  const { anonymous, part, reviews } = opened;
  return { authenticator: unionAuthenticator(list, anonymous), reviews, issuer, part };
}
