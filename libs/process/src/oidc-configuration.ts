import type { AuthenticationConfiguration } from '@annex/auth';
import type { AuthenticationConfig } from './authentication-options.ts';

/** Converts the older `--oidc-*` options to a configuration. */
export function oidcConfiguration(
  config: AuthenticationConfig,
  certificateAuthority: string,
): AuthenticationConfiguration {
  const { oidcIssuerUrl: url = '', oidcUsernameClaim = 'sub', oidcUsernamePrefix = '' } = config;
  const issuerPrefix = oidcUsernamePrefix === '' && oidcUsernameClaim !== 'email' ? `${url}#` : '';
  const prefix = oidcUsernamePrefix === '-' ? '' : oidcUsernamePrefix || issuerPrefix;
  const groups = config.oidcGroupsClaim ?? '';
  return {
    anonymous: undefined,
    jwt: [
      {
        issuer: {
          url,
          discoveryURL: '',
          certificateAuthority,
          audiences: [config.oidcClientId ?? ''],
          audienceMatchPolicy: '',
          egressSelectorType: '',
        },
        claimValidationRules: Object.entries(config.oidcRequiredClaim).map(([claim, requiredValue]) => ({
          claim,
          requiredValue,
          expression: '',
          message: '',
        })),
        claimMappings: {
          username: { claim: oidcUsernameClaim, prefix, expression: '' },
          groups: { claim: groups, prefix: config.oidcGroupsPrefix ?? '', expression: '' },
          uid: { claim: '', expression: '' },
          extra: [],
        },
        userValidationRules: [],
      },
    ],
  };
}
