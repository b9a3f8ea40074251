import { ConfigurationError, optional, readConfiguration } from '../configuration-file.ts';
import type { AuthenticationConfiguration } from './configuration.ts';

const mapping = { claim: 'string', prefix: 'pointer', expression: 'string' } as const;

const jwt = {
  issuer: {
    url: 'string',
    discoveryURL: 'string',
    certificateAuthority: 'string',
    audiences: ['string'],
    audienceMatchPolicy: 'string',
    egressSelectorType: 'string',
  },
  claimValidationRules: [
    { claim: 'string', requiredValue: 'string', expression: 'string', message: 'string' },
  ],
  claimMappings: {
    username: mapping,
    groups: mapping,
    uid: { claim: 'string', expression: 'string' },
    extra: [{ key: 'string', valueExpression: 'string' }],
  },
  userValidationRules: [{ expression: 'string', message: 'string' }],
} as const;

const anonymous = { enabled: 'bool', conditions: [{ path: 'string' }] } as const;

/** Reads a configuration file. Rejects with `ConfigurationError`. */
export async function decodeConfiguration(text: string): Promise<AuthenticationConfiguration> {
  if (text === '') throw new ConfigurationError('empty config data');
  return (await readConfiguration(text, {
    kind: 'AuthenticationConfiguration',
    versions: ['v1', 'v1beta1', 'v1alpha1'],
    fields: { jwt: [jwt], anonymous: optional(anonymous) },
  })) as AuthenticationConfiguration;
}
