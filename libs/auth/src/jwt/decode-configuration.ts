import { ConfigurationError, optional, readConfiguration, struct } from '../configuration-file.ts';
import type { AuthenticationConfiguration } from './configuration.ts';

const mapping = struct('PrefixedClaimOrExpression', {
  claim: 'string',
  prefix: 'pointer',
  expression: 'string',
});

const issuer = struct('Issuer', {
  url: 'string',
  discoveryURL: 'string',
  certificateAuthority: 'string',
  audiences: ['string'],
  audienceMatchPolicy: 'string',
  egressSelectorType: 'string',
});

const claimValidationRule = struct('ClaimValidationRule', {
  claim: 'string',
  requiredValue: 'string',
  expression: 'string',
  message: 'string',
});

const claimMappings = struct('ClaimMappings', {
  username: mapping,
  groups: mapping,
  uid: struct('ClaimOrExpression', { claim: 'string', expression: 'string' }),
  extra: [struct('ExtraMapping', { key: 'string', valueExpression: 'string' })],
});

const jwt = struct('JWTAuthenticator', {
  issuer,
  claimValidationRules: [claimValidationRule],
  claimMappings,
  userValidationRules: [struct('UserValidationRule', { expression: 'string', message: 'string' })],
});

const anonymous = struct('AnonymousAuthConfig', {
  enabled: 'bool',
  conditions: [struct('AnonymousAuthCondition', { path: 'string' })],
});

/** Decodes a configuration file. Rejects with `ConfigurationError`. */
export async function decodeConfiguration(text: string): Promise<AuthenticationConfiguration> {
  if (text === '') throw new ConfigurationError('empty config data');
  const read = await readConfiguration(text, {
    kind: 'AuthenticationConfiguration',
    fields: { jwt: [jwt], anonymous: optional(anonymous) },
  });
  return read as unknown as AuthenticationConfiguration;
}
