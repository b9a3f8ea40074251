import { ConfigurationError, readNestedConfiguration, strictConfigurationErrorText } from '@annex/auth';
import type { JsonValue } from '@annex/machinery';
import { decodeArguments, pluginsWithArguments } from './decode-arguments.ts';
import { mergePlugins } from './default-plugins.ts';
import { durationMs } from './durations.ts';
import { configurationFields, embeddedFields, pluginSetNames } from './shapes.ts';
import type {
  ExtenderConfig,
  PluginReference,
  PluginSet,
  PluginSetName,
  ProfileConfig,
  SchedulerConfig,
} from './types.ts';

export const schedulerConfigVersion = 'kubescheduler.config.k8s.io/v1';

/** Earlier versions, which kube-scheduler does not read any more. */
const earlierVersions = ['kubescheduler.config.k8s.io/v1beta3', 'kubescheduler.config.k8s.io/v1beta2'];

type Sent = Readonly<Record<string, unknown>>;

/** The options of {@link decodeConfiguration}. */
export interface DecodeOptions {
  /** Accepts v1beta2 and v1beta3 as well. */
  acceptEarlierVersions?: boolean;
}

/** Decodes a configuration file and applies the defaults. Rejects with `ConfigurationError` and kube-scheduler's text. */
export async function decodeConfiguration(
  text: string,
  options: DecodeOptions = {},
): Promise<SchedulerConfig> {
  const { value, unknown } = await readNestedConfiguration(text, {
    kind: 'KubeSchedulerConfiguration',
    apiVersions: [schedulerConfigVersion, ...(options.acceptEarlierVersions ? earlierVersions : [])],
    fields: configurationFields,
    embedded: embeddedFields,
  });
  return withDefaults(value, unknown);
}

/** The configuration without a file. */
export const defaultConfiguration = (): SchedulerConfig => withDefaults({});

/** Throws `ConfigurationError` for errors of strict decoding. */
function withDefaults(sent: Sent, unknown: readonly string[] = []): SchedulerConfig {
  const election = (sent.leaderElection ?? {}) as Sent;
  const connection = (sent.clientConnection ?? {}) as Sent;
  const enableProfiling = (sent.enableProfiling as boolean | undefined) ?? true;
  return {
    parallelism: number(sent.parallelism, 16),
    leaderElection: {
      leaderElect: (election.leaderElect as boolean | undefined) ?? true,
      leaseDurationMs: nonZero(election.leaseDuration, 15_000),
      renewDeadlineMs: nonZero(election.renewDeadline, 10_000),
      retryPeriodMs: nonZero(election.retryPeriod, 2_000),
      resourceLock: text(election.resourceLock, 'leases'),
      resourceName: text(election.resourceName, 'kube-scheduler'),
      resourceNamespace: text(election.resourceNamespace, 'kube-system'),
    },
    clientConnection: {
      kubeconfig: text(connection.kubeconfig, ''),
      acceptContentTypes: text(connection.acceptContentTypes, ''),
      contentType: text(connection.contentType, 'application/vnd.kubernetes.protobuf'),
      qps: number(connection.qps, 0) || 50,
      burst: number(connection.burst, 0) || 100,
      isLimited: number(connection.qps, 0) > 0,
    },
    enableProfiling,
    enableContentionProfiling: (sent.enableContentionProfiling as boolean | undefined) ?? enableProfiling,
    percentageOfNodesToScore: number(sent.percentageOfNodesToScore, 0),
    podInitialBackoffSeconds: number(sent.podInitialBackoffSeconds, 1),
    podMaxBackoffSeconds: number(sent.podMaxBackoffSeconds, 10),
    profiles: profilesOf((sent.profiles ?? []) as Sent[], unknown),
    extenders: ((sent.extenders ?? []) as Sent[]).map(extenderOf),
    delayCacheUntilActive: (sent.delayCacheUntilActive as boolean | undefined) ?? false,
  };
}

const number = (value: unknown, otherwise: number): number => (value as number | undefined) ?? otherwise;
const text = (value: unknown, otherwise: string): string => (value as string) || otherwise;

/** An unset duration and 0 are the default. */
const nonZero = (value: unknown, otherwise: number): number =>
  durationMs(value as string | undefined, 0) || otherwise;

function profilesOf(sent: readonly Sent[], unknown: readonly string[]): ProfileConfig[] {
  const profiles = sent.length === 0 ? [{}] : sent;
  const strictErrors = [...unknown];
  const read = profiles.map((profile: Sent, i): ProfileConfig => {
    const plugins = mergePlugins(sentPlugins((profile.plugins ?? {}) as Sent));
    return {
      // Only a single profile has a default name.
      schedulerName:
        (profile.schedulerName as string | undefined) ?? (profiles.length === 1 ? 'default-scheduler' : ''),
      percentageOfNodesToScore: profile.percentageOfNodesToScore as number | undefined,
      plugins,
      pluginConfig: pluginConfigOf((profile.pluginConfig ?? []) as Sent[], i, plugins, strictErrors),
    };
  });
  if (strictErrors.length > 0) throw new ConfigurationError(strictConfigurationErrorText(strictErrors));
  return read;
}

function sentPlugins(sent: Sent): ReadonlyMap<PluginSetName, PluginSet> {
  const references = (list: unknown): PluginReference[] =>
    ((list ?? []) as Partial<PluginReference>[]).map(({ name = '', weight = 0 }) => ({ name, weight }));
  return new Map(
    pluginSetNames.map((name) => {
      const set = (sent[name] ?? {}) as Sent;
      return [name, { enabled: references(set.enabled), disabled: references(set.disabled) }];
    }),
  );
}

function pluginConfigOf(
  sent: readonly Sent[],
  profile: number,
  plugins: ReadonlyMap<PluginSetName, PluginSet>,
  strictErrors: string[],
): ProfileConfig['pluginConfig'] {
  const config = sent.map(({ name, args }, i) => {
    const at = `decoding .profiles[${profile}].pluginConfig[${i}]`;
    const plugin = name as string;
    try {
      const decoded = decodeArguments(plugin, args as JsonValue | undefined);
      const strict = decoded.strictErrors.join(', ');
      if (strict !== '')
        strictErrors.push(
          `${at}: strict decoding error: decoding args for plugin ${plugin}: strict decoding error: ${strict}`,
        );
      return { name: plugin, args: decoded.args };
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      const prefix = error.message.startsWith('args for plugin')
        ? at
        : `${at}: decoding args for plugin ${plugin}`;
      throw new ConfigurationError(`${prefix}: ${error.message}`);
    }
  });
  const enabled = new Set([...plugins.values()].flatMap((set) => set.enabled.map(({ name }) => name)));
  const configured = new Set(config.map(({ name }) => name));
  const missing = pluginsWithArguments.filter((name) => enabled.has(name) && !configured.has(name));
  return [...config, ...missing.map((name) => ({ name, args: decodeArguments(name, undefined).args }))];
}

const extenderOf = ({ httpTimeout, weight, ...sent }: Sent): ExtenderConfig =>
  ({ ...sent, weight: number(weight, 0), httpTimeoutMs: nonZero(httpTimeout, 5_000) }) as ExtenderConfig;
