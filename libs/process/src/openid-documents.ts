import { type IssuerMetadata, issuerMetadata } from '@annex/auth';
import { parseUrl } from '@annex/machinery';
import type { Logger } from '@annex/runtime';
import type { AboutServer } from '@annex/server';
import { issuerOf, type ServiceAccountConfig, urlProblem } from './service-account-options.ts';

/** The published data of service-account tokens. */
export interface OpenIdOptions {
  config: ServiceAccountConfig;
  /** Returns the public address of this server: host and port. */
  address(): string;
  /** The files of keys that verify tokens, PEM. */
  verificationKeys: readonly string[];
  log: Logger;
}

/**
 * Returns the OpenID discovery documents of service-account tokens, at kube-apiserver's paths; none for
 * issuers of another form.
 */
export function openIdDocuments({
  config,
  address,
  verificationKeys,
  log,
}: OpenIdOptions): NonNullable<AboutServer['documents']> {
  const issuer = issuerOf(config);
  const why = verificationKeys.length === 0 ? 'no keys are configured' : issuerError(issuer);
  if (why !== undefined) {
    log.warn('the issuer of service-account tokens is not published', { issuer, why });
    return {};
  }
  const jwksUri = () => config.serviceAccountJwksUri || `https://${address()}/openid/v1/jwks`;
  let made: IssuerMetadata | undefined;
  const metadata = () => (made ??= issuerMetadata(issuer, jwksUri(), verificationKeys));
  return {
    '/.well-known/openid-configuration': {
      contentType: 'application/json',
      content: () => metadata().configuration,
    },
    '/openid/v1/jwks': { contentType: 'application/jwk-set+json', content: () => metadata().keySet },
  };
}

/** Returns why an issuer violates OpenID Connect Discovery, section 3, `issuer`. */
function issuerError(issuer: string): string | undefined {
  const why = urlProblem(issuer);
  if (why !== undefined) return why;
  const { scheme, rawQuery, text } = parseUrl(issuer);
  if (scheme !== 'https') return `issuer URL must use https scheme, got: ${issuer}`;
  if (rawQuery !== '') return `issuer URL may not include a query, got: ${issuer}`;
  return /#./.test(text) ? `issuer URL may not include a fragment, got: ${issuer}` : undefined;
}
