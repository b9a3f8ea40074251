import type { ConflictCheck, OptionsTable } from '@annex/runtime';

/** Which credentials the server knows beside certificates and the tokens of service accounts. */
export interface AuthenticationConfig extends OidcConfig, TokenWebhookConfig {
  anonymousAuth: boolean | undefined;
  authenticationConfig: string | undefined;
  tokenAuthFile: string | undefined;
  enableBootstrapTokenAuth: boolean;
}

interface OidcConfig {
  oidcIssuerUrl: string | undefined;
  oidcClientId: string | undefined;
  oidcCaFile: string | undefined;
  oidcUsernameClaim: string | undefined;
  oidcUsernamePrefix: string | undefined;
  oidcGroupsClaim: string | undefined;
  oidcGroupsPrefix: string | undefined;
  oidcSigningAlgs: readonly string[];
  oidcRequiredClaim: Readonly<Record<string, string>>;
}

interface TokenWebhookConfig {
  authenticationTokenWebhookConfigFile: string | undefined;
  authenticationTokenWebhookVersion: string;
  authenticationTokenWebhookCacheTtl: number;
}

const oidc: OptionsTable<OidcConfig> = {
  oidcIssuerUrl: {
    flag: 'oidc-issuer-url',
    type: 'string',
    help: 'The issuer of OpenID Connect tokens that are let in.',
  },
  oidcClientId: {
    flag: 'oidc-client-id',
    type: 'string',
    help: 'The audience that those tokens must be for.',
  },
  oidcCaFile: {
    flag: 'oidc-ca-file',
    type: 'path',
    help: 'Authorities of the issuer’s certificate; the roots of the system by default.',
  },
  oidcUsernameClaim: {
    flag: 'oidc-username-claim',
    type: 'string',
    help: 'The claim with the user name; sub by default.',
  },
  oidcUsernamePrefix: {
    flag: 'oidc-username-prefix',
    type: 'string',
    help: 'Stands before user names: by default the issuer and a #, but for the claim email. A dash is none.',
  },
  oidcGroupsClaim: { flag: 'oidc-groups-claim', type: 'string', help: 'The claim with the groups.' },
  oidcGroupsPrefix: { flag: 'oidc-groups-prefix', type: 'string', help: 'Stands before groups.' },
  oidcSigningAlgs: {
    flag: 'oidc-signing-algs',
    type: 'list',
    default: ['RS256'],
    help: 'Signature algorithms of those tokens.',
  },
  oidcRequiredClaim: {
    flag: 'oidc-required-claim',
    type: 'map',
    default: {},
    help: 'Claims that those tokens must have, with their values: key=value.',
  },
};

const webhook: OptionsTable<TokenWebhookConfig> = {
  authenticationTokenWebhookConfigFile: {
    flag: 'authentication-token-webhook-config-file',
    type: 'path',
    help: 'A kubeconfig that says which webhook is asked about tokens.',
  },
  authenticationTokenWebhookVersion: {
    flag: 'authentication-token-webhook-version',
    type: 'string',
    default: 'v1beta1',
    choices: ['v1', 'v1beta1'],
    help: 'The version of the TokenReviews that it gets.',
  },
  authenticationTokenWebhookCacheTtl: {
    flag: 'authentication-token-webhook-cache-ttl',
    type: 'duration',
    default: 120_000,
    min: 0,
    help: 'How long its answers are remembered.',
  },
};

/** kube-apiserver's options of authentication. */
export const authenticationOptions: OptionsTable<AuthenticationConfig> = {
  anonymousAuth: {
    flag: 'anonymous-auth',
    type: 'bool',
    help: 'Let requests without credentials in as system:anonymous; true by default.',
  },
  authenticationConfig: {
    flag: 'authentication-config',
    type: 'path',
    help: 'An AuthenticationConfiguration: issuers of JWTs, and which anonymous requests are let in. Read again when it changes.',
  },
  tokenAuthFile: {
    flag: 'token-auth-file',
    type: 'path',
    help: 'A CSV file of tokens, each with its user: token,user,uid,"group1,group2".',
  },
  enableBootstrapTokenAuth: {
    flag: 'enable-bootstrap-token-auth',
    type: 'bool',
    default: false,
    help: 'Know the bootstrap tokens that Secrets in kube-system hold.',
  },
  ...oidc,
  ...webhook,
};

/** Rules between those options. */
export const authenticationConflicts: ConflictCheck<AuthenticationConfig> = (config) => {
  const { authenticationConfig, oidcClientId, oidcIssuerUrl, oidcRequiredClaim } = config;
  const provided =
    Object.keys(oidcRequiredClaim).length > 0 ||
    Object.entries(config).some(
      ([name, value]) => name.startsWith('oidc') && typeof value === 'string' && value !== '',
    );
  if (!provided) return [];
  if (authenticationConfig !== undefined) {
    return ['authentication-config file and oidc-* flags are mutually exclusive'];
  }
  return oidcIssuerUrl && oidcClientId
    ? []
    : ['oidc-issuer-url and oidc-client-id must be specified together when any oidc-* flags are set'];
};
