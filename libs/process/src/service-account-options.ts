import {
  createTokenIssuer,
  feedBoundObjects,
  requireVerificationKeys,
  serviceAccountTokens,
  type TokenAuthenticator,
  type TokenIssuer,
} from '@annex/auth';
import { parseUrl, UrlError } from '@annex/machinery';
import {
  type ConflictCheck,
  optionGroup,
  type OptionsTable,
  readOptionFile,
  usableFile,
} from '@annex/runtime';
import type { ServerDeps } from '@annex/server';
import { noteTokenUse } from './token-uses.ts';

/** The accepted service-account tokens. */
export interface ServiceAccountConfig {
  serviceAccountIssuer: readonly string[];
  serviceAccountKeyFile: readonly string[];
  serviceAccountJwksUri: string | undefined;
  serviceAccountLookup: boolean;
  apiAudiences: readonly string[];
}

/** kube-apiserver's options of service-account tokens. */
export const serviceAccountOptions: OptionsTable<ServiceAccountConfig> = optionGroup('Service accounts', {
  serviceAccountIssuer: {
    flag: 'service-account-issuer',
    type: 'list',
    default: ['https://kubernetes.default.svc'],
    help: 'The issuers of service-account tokens: all are accepted, the first is named in new tokens.',
  },
  serviceAccountKeyFile: {
    flag: 'service-account-key-file',
    type: 'list',
    default: [],
    help: 'Files with public keys that verify service-account tokens.',
  },
  serviceAccountJwksUri: {
    flag: 'service-account-jwks-uri',
    type: 'string',
    help: 'The URL of these keys in OpenID discovery. Default: /openid/v1/jwks of this server.',
  },
  serviceAccountLookup: {
    flag: 'service-account-lookup',
    type: 'bool',
    default: true,
    help: 'Accept tokens in Secrets only while their Secret and their account exist.',
  },
  apiAudiences: {
    flag: 'api-audiences',
    type: 'list',
    default: [],
    help: 'The accepted audiences of tokens; the issuers by default.',
  },
});

/** Returns the conflicts of these options, with kube-apiserver's messages. */
export const serviceAccountConflicts: ConflictCheck<ServiceAccountConfig> = ({
  serviceAccountIssuer: issuers,
  serviceAccountJwksUri: jwksUri,
}) => [
  ...(issuers.length === 0 ? ['service-account-issuer is a required flag'] : []),
  ...issuers.flatMap((issuer, i) => {
    const why = issuer.includes(':') ? urlProblem(issuer) : undefined;
    if (why !== undefined) {
      return [`service-account-issuer "${issuer}" contained a ':' but was not a valid URL: ${why}`];
    }
    if (issuer === '') return ['service-account-issuer should not be an empty string'];
    return issuers.indexOf(issuer) < i ? [`service-account-issuer "${issuer}" is already specified`] : [];
  }),
  ...(jwksUri ? jwksUriProblems(jwksUri) : []),
];

/** Returns Go's error message for an invalid URL. */
export function urlProblem(text: string): string | undefined {
  try {
    parseUrl(text);
    return undefined;
  } catch (error) {
    if (error instanceof UrlError) return error.message;
    throw error;
  }
}

function jwksUriProblems(uri: string): string[] {
  const why = urlProblem(uri);
  if (why !== undefined) return [`service-account-jwks-uri must be a valid URL: ${why}`];
  return parseUrl(uri).scheme === 'https'
    ? []
    : [`service-account-jwks-uri requires https scheme, parsed as: ${uri}`];
}

/** The configuration of new service-account tokens. */
export interface TokenIssuerConfig {
  serviceAccountSigningKeyFile: string | undefined;
  serviceAccountMaxTokenExpiration: number | undefined;
  serviceAccountExtendTokenExpiration: boolean;
}

const hour = 3_600_000;

/** kube-apiserver's options of new tokens. */
export const tokenIssuerOptions: OptionsTable<TokenIssuerConfig> = optionGroup('Service accounts', {
  serviceAccountSigningKeyFile: {
    flag: 'service-account-signing-key-file',
    type: 'path',
    help: 'The key that signs service-account tokens; without it, none are issued.',
  },
  serviceAccountMaxTokenExpiration: {
    flag: 'service-account-max-token-expiration',
    type: 'duration',
    min: hour,
    max: 2 ** 32 * 1000,
    help: 'The maximum lifetime of a service-account token.',
  },
  serviceAccountExtendTokenExpiration: {
    flag: 'service-account-extend-token-expiration',
    type: 'bool',
    default: true,
    help: 'Extend the lifetime of tokens for kubelets to one year; after the requested time they count as stale.',
  },
});

/** Creates the issuer of service-account tokens; `key` is the PEM of the signing key. */
export const tokenIssuerOf = (
  config: ServiceAccountConfig & TokenIssuerConfig,
  key: string,
  { feed }: Pick<ServerDeps, 'feed'>,
): TokenIssuer => {
  const { serviceAccountMaxTokenExpiration: most } = config;
  return createTokenIssuer({
    issuer: issuerOf(config),
    key,
    audiences: audiencesOf(config),
    objects: feedBoundObjects(feed),
    extendExpiration: config.serviceAccountExtendTokenExpiration,
    ...(most === undefined ? {} : { maxExpirationSeconds: Math.floor(most / 1000) }),
  });
};

/**
 * Returns the files of keys that verify tokens. Throws OperatorError FILE_UNREADABLE, also for a file without
 * keys.
 */
export const readVerificationKeys = ({
  serviceAccountKeyFile: paths,
}: ServiceAccountConfig): Promise<readonly string[]> =>
  Promise.all(
    paths.map(async (path) => {
      const text = await readOptionFile(path);
      await usableFile(path, () => requireVerificationKeys(text));
      return text;
    }),
  );

/** Returns the issuer of new tokens. */
export const issuerOf = ({ serviceAccountIssuer }: ServiceAccountConfig): string =>
  serviceAccountIssuer[0] ?? '';

/** Returns the accepted audiences of tokens. */
export const audiencesOf = ({
  apiAudiences,
  serviceAccountIssuer,
}: ServiceAccountConfig): readonly string[] =>
  apiAudiences.length > 0 ? apiAudiences : serviceAccountIssuer;

/** Creates the authenticator of service-account tokens; `keys` are the PEM texts that verify them. */
export const tokensOf = (
  config: ServiceAccountConfig,
  verificationKeys: readonly string[],
  deps: Pick<ServerDeps, 'feed' | 'store' | 'clock' | 'log'>,
): TokenAuthenticator =>
  serviceAccountTokens({
    issuers: config.serviceAccountIssuer,
    keys: verificationKeys,
    lookup: config.serviceAccountLookup,
    audiences: audiencesOf(config),
    objects: feedBoundObjects(deps.feed),
    noteUse: noteTokenUse(deps),
  });
