import { type FuzzTarget, orErrorLater, jsonText } from '@annex/testkit';
import { ClientConfigError } from './config.ts';
import { parseKubeconfig } from './kubeconfig.ts';

export const fuzzTargets: FuzzTarget[] = [
  {
    name: 'kubeconfig',
    seeds: [
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Config',
        'current-context': 'a',
        contexts: [{ name: 'a', context: { cluster: 'c', user: 'u', namespace: 'n' } }],
        clusters: [
          {
            name: 'c',
            cluster: { server: 'https://x', 'certificate-authority-data': 'YQ==', 'tls-server-name': 'y' },
          },
        ],
        users: [
          {
            name: 'u',
            user: { token: 't', 'client-certificate-data': 'YQ==', 'client-key-data': 'YQ==', as: 'z' },
          },
        ],
      }),
    ],
    dictionary: [
      'contexts',
      'clusters',
      'users',
      'exec',
      'auth-provider',
      'username',
      'password',
      ': ',
      '- ',
      '[]',
      '{}',
      'null',
      '1',
    ],
    maxBytes: 1024,
    async run(input) {
      const text = jsonText(input);
      if (text === undefined) return;
      await orErrorLater(() => parseKubeconfig(text, { folder: '/nonexistent' }), [ClientConfigError]);
    },
  },
];
