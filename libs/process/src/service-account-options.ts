import {
  createTokenIssuer,
  feedBoundObjects,
  requireVerificationKeys,
  serviceAccountTokens,
  type TokenAuthenticator,
  type TokenIssuer,
} from '@annex/auth';
import { parseUrl, UrlError } from '@annex/machinery';
import { type ConflictCheck, type OptionsTable, readOptionFile, usableFile } from '@annex/runtime';
import type { ServerDeps } from '@annex/server';
import { noteTokenUse } from './token-uses.ts';

/** Which service-account tokens are good. */
export interface ServiceAccountConfig {
  serviceAccountIssuer: readonly string[];
  serviceAccountKeyFile: readonly string[];
  serviceAccountJwksUri: string | undefined;
  serviceAccountLookup: boolean;
  apiAudiences: readonly string[];
}

/** kube-apiserver's options of the tokens of service accounts. */
export const serviceAccountOptions: OptionsTable<ServiceAccountConfig> = {
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
    help: 'Files of public keys, each with any number of them, that verify service-account tokens.',
  },
  serviceAccountJwksUri: {
    flag: 'service-account-jwks-uri',
    type: 'string',
    help: 'Where others find those keys, as OpenID discovery says it; /openid/v1/jwks of this server by default.',
  },
  serviceAccountLookup: {
    flag: 'service-account-lookup',
    type: 'bool',
    default: true,
    help: 'Tokens in Secrets hold only while their Secret and their account are there.',
  },
  apiAudiences: {
    flag: 'api-audiences',
    type: 'list',
    default: [],
    help: 'Audiences that tokens must be for; the issuers by default.',
  },
};

/** Rules of those options, in kube's words. */
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

/** Why a text is no URL, in Go's words. */
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
    issuer: issuerOf(config),
    key,
    audiences: audiencesOf(config),
    objects: feedBoundObjects(feed),
    extendExpiration: config.serviceAccountExtendTokenExpiration,
    ...(most === undefined ? {} : { maxExpirationSeconds: Math.floor(most / 1000) }),
  });
};

/** The files of keys that verify tokens. Throws OperatorError FILE_UNREADABLE, also for one without keys. */
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

/** The issuer that new tokens name. */
export const issuerOf = ({ serviceAccountIssuer }: ServiceAccountConfig): string =>
  serviceAccountIssuer[0] ?? '';

/** The audiences that tokens must be for. */
export const audiencesOf = ({
  apiAudiences,
  serviceAccountIssuer,
}: ServiceAccountConfig): readonly string[] =>
  apiAudiences.length > 0 ? apiAudiences : serviceAccountIssuer;

/** Knows the service-account tokens of the options, by the files of keys that verify them, PEM. */
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
