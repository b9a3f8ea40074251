import { type FuzzTarget, orErrorLater, jsonText } from '@annex/testkit';
import { YamlError } from '@annex/machinery';
import { decodeAuthorizationConfiguration } from './authz/chain/configuration.ts';
import { ConfigurationError } from './configuration-file.ts';
import { decodeConfiguration } from './jwt/decode-configuration.ts';

export const fuzzTargets: FuzzTarget[] = [
  {
    name: 'authentication-configuration',
    seeds: [
      JSON.stringify({
        apiVersion: 'apiserver.config.k8s.io/v1',
        kind: 'AuthenticationConfiguration',
        jwt: [
          {
            issuer: { url: 'https://x', audiences: ['a'] },
            claimMappings: { username: { claim: 'sub', prefix: '' } },
            claimValidationRules: [{ expression: 'claims.a == 1', message: 'x' }],
          },
        ],
        anonymous: { enabled: true, conditions: [{ path: '/healthz' }] },
      }),
    ],
    maxBytes: 1024,
    async run(input) {
      const text = jsonText(input);
      if (text === undefined) return;
      await orErrorLater(() => decodeConfiguration(text), [ConfigurationError, YamlError]);
    },
  },
  {
    name: 'authorization-configuration',
    seeds: [
      JSON.stringify({
        apiVersion: 'apiserver.config.k8s.io/v1',
        kind: 'AuthorizationConfiguration',
        authorizers: [
          {
            type: 'Webhook',
            name: 'a',
            webhook: {
              timeout: '3s',
              authorizedTTL: '5m',
              failurePolicy: 'Deny',
              connectionInfo: { type: 'InClusterConfig' },
              matchConditions: [{ expression: 'true' }],
            },
          },
          { type: 'RBAC', name: 'b' },
        ],
      }),
    ],
    maxBytes: 1024,
    async run(input) {
      const text = jsonText(input);
      if (text === undefined) return;
      await orErrorLater(() => decodeAuthorizationConfiguration(text), [ConfigurationError, YamlError]);
    },
  },
];
