import { durationText } from '../config/durations.ts';
import type { PluginSet, ProfileConfig, SchedulerConfig } from '../config/types.ts';
import { schedulerConfigVersion } from '../config/decode.ts';

/** Returns the configuration with its defaults as `KubeSchedulerConfiguration` of v1. */
export function configurationObject(config: SchedulerConfig): object {
  const { leaderElection, clientConnection, profiles, extenders, ...rest } = config;
  const { kubeconfig, acceptContentTypes, contentType, qps, burst } = clientConnection;
  const { leaseDurationMs, renewDeadlineMs, retryPeriodMs, ...election } = leaderElection;
  return {
    apiVersion: schedulerConfigVersion,
    clientConnection: { acceptContentTypes, burst, contentType, kubeconfig, qps },
    delayCacheUntilActive: rest.delayCacheUntilActive,
    enableContentionProfiling: rest.enableContentionProfiling,
    enableProfiling: rest.enableProfiling,
    ...(extenders.length === 0 ? {} : { extenders: extenders.map(extenderObject) }),
    kind: 'KubeSchedulerConfiguration',
    leaderElection: {
      leaderElect: election.leaderElect,
      leaseDuration: durationText(leaseDurationMs),
      renewDeadline: durationText(renewDeadlineMs),
      resourceLock: election.resourceLock,
      resourceName: election.resourceName,
      resourceNamespace: election.resourceNamespace,
      retryPeriod: durationText(retryPeriodMs),
    },
    parallelism: rest.parallelism,
    percentageOfNodesToScore: rest.percentageOfNodesToScore,
    podInitialBackoffSeconds: rest.podInitialBackoffSeconds,
    podMaxBackoffSeconds: rest.podMaxBackoffSeconds,
    profiles: profiles.map(profileObject),
  };
}

const extenderObject = ({ httpTimeoutMs, ...rest }: SchedulerConfig['extenders'][number]): object => ({
  ...rest,
  httpTimeout: durationText(httpTimeoutMs),
});

function profileObject({
  schedulerName,
  percentageOfNodesToScore,
  plugins,
  pluginConfig,
}: ProfileConfig): object {
  return {
    ...(percentageOfNodesToScore === undefined ? {} : { percentageOfNodesToScore }),
    pluginConfig: pluginConfig.toSorted((a, b) => (a.name < b.name ? -1 : 1)).map(argumentsObject),
    plugins: Object.fromEntries([...plugins].map(([name, set]) => [name, setObject(set)])),
    schedulerName,
  };
}

function argumentsObject({ name, args }: ProfileConfig['pluginConfig'][number]): object {
  const { filterTimeoutMs, bindingTimeoutMs, ...rest } = (args ?? {}) as Record<string, unknown>;
  const times =
    typeof filterTimeoutMs === 'number' && typeof bindingTimeoutMs === 'number'
      ? { filterTimeout: durationText(filterTimeoutMs), bindingTimeout: durationText(bindingTimeoutMs) }
      : {};
  return { args: { apiVersion: schedulerConfigVersion, ...rest, ...times, kind: `${name}Args` }, name };
}

function setObject({ enabled, disabled }: PluginSet): object {
  const list = (plugins: PluginSet['enabled']) =>
    plugins.map(({ name, weight }) => (weight === 0 ? { name } : { name, weight }));
  return {
    ...(enabled.length === 0 ? {} : { enabled: list(enabled) }),
    ...(disabled.length === 0 ? {} : { disabled: list(disabled) }),
  };
}
