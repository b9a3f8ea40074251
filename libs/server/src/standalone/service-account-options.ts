import {
  createTokenIssuer,
  feedBoundObjects,
  type IssuerMetadata,
  issuerMetadata,
  serviceAccountTokens,
  type TokenAuthenticator,
  type TokenIssuer,
} from '@annex/auth';
import type { OptionsTable } from '@annex/runtime';
import type { ServerDeps } from '../app.ts';
import type { NonResourceOptions } from '../non-resource/non-resource.ts';

/** Which service-account tokens are good. */
export interface ServiceAccountConfig {
  serviceAccountIssuer: string;
  serviceAccountKeyFile: string | undefined;
  apiAudiences: readonly string[];
}

/** kube-apiserver's options of the tokens of service accounts. */
export const serviceAccountOptions: OptionsTable<ServiceAccountConfig> = {
  serviceAccountIssuer: {
    flag: 'service-account-issuer',
    type: 'string',
    default: 'https://kubernetes.default.svc',
    help: 'The issuer of service-account tokens.',
  },
  serviceAccountKeyFile: {
    flag: 'service-account-key-file',
    type: 'path',
    help: 'The public key that verifies service-account tokens.',
  },
  apiAudiences: {
    flag: 'api-audiences',
    type: 'list',
    default: [],
    help: 'Audiences that tokens must be for; the issuer by default.',
  },
};

/** How service-account tokens are made. */
export interface TokenIssuerConfig {
  serviceAccountSigningKeyFile: string | undefined;
  serviceAccountMaxTokenExpiration: number | undefined;
  serviceAccountExtendTokenExpiration: boolean;
}

const hour = 3_600_000;

/** kube-apiserver's options of making such tokens. */
export const tokenIssuerOptions: OptionsTable<TokenIssuerConfig> = {
  serviceAccountSigningKeyFile: {
    flag: 'service-account-signing-key-file',
    type: 'path',
    help: 'The key that signs service-account tokens; without it none are made.',
  },
  serviceAccountMaxTokenExpiration: {
    flag: 'service-account-max-token-expiration',
    type: 'duration',
    min: hour,
    max: 2 ** 32 * 1000,
    help: 'The longest time that a service-account token holds, whatever is asked for.',
  },
  serviceAccountExtendTokenExpiration: {
    flag: 'service-account-extend-token-expiration',
    type: 'bool',
    default: true,
    help: 'Let tokens that kubelets ask for live for a year, and count as stale after the time that was asked for.',
  },
};

/** Makes service-account tokens as the options say; `key` is the PEM of the key that signs. */
export const tokenIssuerOf = (
  config: ServiceAccountConfig & TokenIssuerConfig,
  key: string,
  { feed }: Pick<ServerDeps, 'feed'>,
): TokenIssuer => {
  const { serviceAccountMaxTokenExpiration: most } = config;
  return createTokenIssuer({
    issuer: config.serviceAccountIssuer,
    key,
    audiences: audiencesOf(config),
    objects: feedBoundObjects(feed),
    extendExpiration: config.serviceAccountExtendTokenExpiration,
    ...(most === undefined ? {} : { maxExpirationSeconds: Math.floor(most / 1000) }),
  });
};

/** The audiences that tokens must be for. */
export const audiencesOf = (config: ServiceAccountConfig): readonly string[] =>
  config.apiAudiences.length > 0 ? config.apiAudiences : [config.serviceAccountIssuer];

/** Knows the service-account tokens of the options, by the public key that verifies them, PEM. */
export const tokensOf = (
  config: ServiceAccountConfig,
  verificationKey: string,
  { feed }: Pick<ServerDeps, 'feed'>,
): TokenAuthenticator =>
  serviceAccountTokens({
    issuers: [config.serviceAccountIssuer],
    keys: [verificationKey],
    audiences: audiencesOf(config),
    objects: feedBoundObjects(feed),
  });

/** OpenID discovery of service-account tokens, at the paths that kube-apiserver has them. */
export function openIdDocuments(
  issuer: string,
  address: string,
  keys: readonly string[],
): NonNullable<NonResourceOptions['documents']> {
  let made: IssuerMetadata | undefined;
  const metadata = () => (made ??= issuerMetadata(issuer, `https://${address}/openid/v1/jwks`, keys));
  return {
    '/.well-known/openid-configuration': {
      contentType: 'application/json',
      content: () => metadata().configuration,
    },
    '/openid/v1/jwks': { contentType: 'application/jwk-set+json', content: () => metadata().keySet },
  };
}
