import { optionGroup, type ConflictCheck, type OptionsTable } from '@annex/runtime';

/** The credentials that the server accepts in addition to certificates and service-account tokens. */
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
    help: 'The issuer of accepted OpenID Connect tokens.',
  },
  oidcClientId: {
    flag: 'oidc-client-id',
    type: 'string',
    help: 'The required audience of these tokens.',
  },
  oidcCaFile: {
    flag: 'oidc-ca-file',
    type: 'path',
    help: 'The CA of the issuer’s certificate. Default: the system root certificates.',
  },
  oidcUsernameClaim: {
    flag: 'oidc-username-claim',
    type: 'string',
    help: 'The claim with the user name; sub by default.',
  },
  oidcUsernamePrefix: {
    flag: 'oidc-username-prefix',
    type: 'string',
    help: 'The prefix of user names. Default: the issuer and a #, except for the claim email. A dash disables the prefix.',
  },
  oidcGroupsClaim: { flag: 'oidc-groups-claim', type: 'string', help: 'The claim with the groups.' },
  oidcGroupsPrefix: { flag: 'oidc-groups-prefix', type: 'string', help: 'The prefix of groups.' },
  oidcSigningAlgs: {
    flag: 'oidc-signing-algs',
    type: 'list',
    default: ['RS256'],
    help: 'The accepted signature algorithms of these tokens.',
  },
  oidcRequiredClaim: {
    flag: 'oidc-required-claim',
    type: 'map',
    default: {},
    help: 'The required claims of these tokens, with their values: key=value.',
  },
};

const webhook: OptionsTable<TokenWebhookConfig> = {
  authenticationTokenWebhookConfigFile: {
    flag: 'authentication-token-webhook-config-file',
    type: 'path',
    help: 'A kubeconfig of the webhook that verifies tokens.',
  },
  authenticationTokenWebhookVersion: {
    flag: 'authentication-token-webhook-version',
    type: 'string',
    default: 'v1beta1',
    choices: ['v1', 'v1beta1'],
    help: 'The version of the TokenReviews that the webhook receives.',
  },
  authenticationTokenWebhookCacheTtl: {
    flag: 'authentication-token-webhook-cache-ttl',
    type: 'duration',
    default: 120_000,
    min: 0,
    help: 'How long its responses are cached.',
  },
};

/** kube-apiserver's options of authentication. */
export const authenticationOptions: OptionsTable<AuthenticationConfig> = optionGroup('Authentication', {
  anonymousAuth: {
    flag: 'anonymous-auth',
    type: 'bool',
    help: 'Accept requests without credentials as system:anonymous; true by default.',
  },
  authenticationConfig: {
    flag: 'authentication-config',
    type: 'path',
    help: 'An AuthenticationConfiguration: issuers of JWTs, and the accepted anonymous requests. Read again when it changes.',
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
    help: 'Accept the bootstrap tokens of Secrets in kube-system.',
  },
  ...oidc,
  ...webhook,
});

/** Returns the conflicts of these options. */
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
