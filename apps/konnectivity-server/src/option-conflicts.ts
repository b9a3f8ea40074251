import { cipherSuiteProblems, type ConflictCheck } from '@annex/runtime';
import { leaseLabelProblems } from '@annex/tunnel';
import { strategies } from './agents/agent-pool.ts';
import type { KonnectivityServerConfig } from './options.ts';

type Config = Readonly<KonnectivityServerConfig>;
type Rule = (config: Config) => string | undefined;

const firstEphemeral = 49_152;
const firstFree = 1_024;

/** The texts are those of apiserver-network-proxy. */
function portRule(name: string, port: (config: Config) => number): Rule {
  return (config) => {
    const value = port(config);
    if (value >= firstEphemeral)
      return `please do not try to use ephemeral port ${value} for the ${name} port`;
    if (value > 0 && value < firstFree)
      return `please do not try to use reserved port ${value} for the ${name} port`;
    return undefined;
  };
}

const pairRule =
  (name: string, pair: (config: Config) => [cert: string | undefined, key: string | undefined]): Rule =>
  (config) => {
    const [cert, key] = pair(config);
    if (cert === undefined && key !== undefined)
      return `cannot have ${name} cert empty when ${name} key is set to ${JSON.stringify(key)}`;
    if (cert !== undefined && key === undefined)
      return `cannot have ${name} key empty when ${name} cert is set to ${JSON.stringify(cert)}`;
    return undefined;
  };

const forTcp =
  (name: string, file: (config: Config) => string | undefined): Rule =>
  (config) =>
    config.udsName !== undefined && file(config) !== undefined
      ? `${name} should not be set for UDS`
      : undefined;

const isAuthenticating = ({ agentNamespace, agentServiceAccount, authenticationAudience }: Config): boolean =>
  [agentNamespace, agentServiceAccount, authenticationAudience].some((value) => (value ?? '') !== '');

const tokenRule =
  (flag: string, value: (config: Config) => string | undefined): Rule =>
  (config) =>
    isAuthenticating(config) && (value(config) ?? '') === ''
      ? `${flag} cannot be empty when agent authentication is enabled`
      : undefined;

const rules: readonly Rule[] = [
  ({ mode }) =>
    mode === 'grpc' || mode === 'http-connect'
      ? undefined
      : `mode must be set to either 'grpc' or 'http-connect' not ${JSON.stringify(mode)}`,
  ({ udsName, serverPort }) =>
    udsName !== undefined && serverPort !== 0
      ? `server port should be set to 0 not ${serverPort} for UDS`
      : undefined,
  forTcp('server key', ({ serverKey }) => serverKey),
  forTcp('server cert', ({ serverCert }) => serverCert),
  forTcp('server ca cert', ({ serverCaCert }) => serverCaCert),
  ({ udsName, serverCaCert }) =>
    udsName === undefined && serverCaCert === undefined
      ? 'server ca cert must be set when in TCP mode (uds-name is empty)'
      : undefined,
  ({ udsName, serverCert }) =>
    udsName === undefined && serverCert === undefined
      ? 'server cert must be set when in TCP mode (uds-name is empty)'
      : undefined,
  ({ clusterCert, clusterKey }) =>
    clusterCert === undefined && clusterKey === undefined
      ? 'cluster cert must be set: agents connect by TLS'
      : undefined,
  pairRule('server', ({ serverCert, serverKey }) => [serverCert, serverKey]),
  pairRule('cluster', ({ clusterCert, clusterKey }) => [clusterCert, clusterKey]),
  portRule('server', ({ serverPort }) => serverPort),
  portRule('agent', ({ agentPort }) => agentPort),
  portRule('health', ({ healthPort }) => healthPort),
  portRule('admin', ({ adminPort }) => adminPort),
  (config) =>
    isAuthenticating(config) && config.clusterCaCert !== undefined
      ? '--cluster-ca-cert can not be used when agent authentication is enabled'
      : undefined,
  ({ agentIdFromCertificate, clusterCaCert }) =>
    agentIdFromCertificate && clusterCaCert === undefined
      ? '--agent-id-from-certificate requires --cluster-ca-cert'
      : undefined,
  tokenRule('--agent-namespace', ({ agentNamespace }) => agentNamespace),
  tokenRule('--agent-service-account', ({ agentServiceAccount }) => agentServiceAccount),
  tokenRule('--authentication-audience', ({ authenticationAudience }) => authenticationAudience),
  ({ proxyStrategies }) => {
    const unknown = proxyStrategies.find((name) => !(strategies as readonly string[]).includes(name));
    return unknown === undefined ? undefined : `invalid proxy strategies: unknown proxy strategy: ${unknown}`;
  },
  ({ proxyStrategies }) => (proxyStrategies.length === 0 ? 'ProxyStrategies cannot be empty' : undefined),
];

/** Checks rules between options. */
export const konnectivityServerConflicts: ConflictCheck<KonnectivityServerConfig> = (config) => [
  ...rules.flatMap((rule) => rule(config) ?? []),
  ...leaseLabelProblems(config.leaseLabel),
  ...cipherSuiteProblems(config.cipherSuites, config.tlsMinVersion).map(
    (problem) => `--cipher-suites: ${problem}`,
  ),
];
