import { ConfigurationError } from '@annex/auth';
import { YamlError } from '@annex/machinery';
import { createMetrics } from '@annex/runtime';
import { type FuzzTarget, jsonText, orErrorLater } from '@annex/testkit';
import { createEgressSelector } from './egress-selector.ts';

const uds = { udsName: '/run/server.socket' };
const tlsConfig = { caBundle: '/none/ca', clientCert: '/none/cert', clientKey: '/none/key' };
const selections = [
  { name: 'cluster', connection: { proxyProtocol: 'GRPC', transport: { uds } } },
  { name: 'master', connection: { proxyProtocol: 'HTTPConnect', transport: { uds } } },
  { name: 'etcd', connection: { proxyProtocol: 'Direct' } },
];

const configuration = (version: string, egressSelections: readonly object[]): string =>
  JSON.stringify({
    apiVersion: `apiserver.k8s.io/${version}`,
    kind: 'EgressSelectorConfiguration',
    egressSelections,
  });

export const fuzzTargets: FuzzTarget[] = [
  {
    name: 'egress-configuration',
    seeds: [
      configuration('v1beta1', selections),
      configuration('v1alpha1', [
        {
          name: 'Cluster',
          connection: {
            proxyProtocol: 'HTTPConnect',
            transport: { tcp: { url: 'https://a:1', tlsConfig } },
          },
        },
      ]),
    ],
    dictionary: ['controlplane', 'http://', 'tcp', 'uds', 'tlsServerName', 'null', '[]', '{}'],
    maxBytes: 1024,
    async run(input) {
      const text = jsonText(input);
      if (text === undefined) return;
      const opened = await orErrorLater(
        () => createEgressSelector(text, createMetrics()),
        [ConfigurationError, YamlError],
      );
      if (!(opened instanceof Error)) opened.close();
    },
  },
];
