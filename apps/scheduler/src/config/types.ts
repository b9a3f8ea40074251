import type { NodeAffinity, TopologySpreadConstraint } from '../objects/pod.ts';
import type { ExtensionPointName } from '../framework/extension-points.ts';

/** `KubeSchedulerConfiguration` of `kubescheduler.config.k8s.io/v1` with its defaults. Times are in milliseconds. */
export interface SchedulerConfig {
  parallelism: number;
  leaderElection: LeaderElectionConfig;
  clientConnection: {
    kubeconfig: string;
    acceptContentTypes: string;
    contentType: string;
    qps: number;
    burst: number;
    /** True if the configuration sets a positive `qps`. */
    isLimited: boolean;
  };
  enableProfiling: boolean;
  enableContentionProfiling: boolean;
  /** The percentage of nodes that are scored; 0: chosen by their number. */
  percentageOfNodesToScore: number;
  podInitialBackoffSeconds: number;
  podMaxBackoffSeconds: number;
  profiles: readonly ProfileConfig[];
  extenders: readonly ExtenderConfig[];
  delayCacheUntilActive: boolean;
}

export interface LeaderElectionConfig {
  leaderElect: boolean;
  leaseDurationMs: number;
  renewDeadlineMs: number;
  retryPeriodMs: number;
  resourceLock: string;
  resourceName: string;
  resourceNamespace: string;
}

export interface PluginReference {
  name: string;
  /** 0 means 1. */
  weight: number;
}

/** The plugins of an extension point, after the merge with the defaults. */
export interface PluginSet {
  enabled: readonly PluginReference[];
  disabled: readonly PluginReference[];
}

export type PluginSetName = ExtensionPointName | 'multiPoint' | 'placementGenerate' | 'placementScore';

export interface ProfileConfig {
  schedulerName: string;
  percentageOfNodesToScore: number | undefined;
  plugins: ReadonlyMap<PluginSetName, PluginSet>;
  /** The arguments of plugins by name, with defaults. */
  pluginConfig: readonly { name: string; args: unknown }[];
}

export interface ExtenderConfig {
  urlPrefix: string;
  filterVerb: string;
  preemptVerb: string;
  prioritizeVerb: string;
  bindVerb: string;
  weight: number;
  enableHTTPS: boolean;
  tlsConfig: ExtenderTls | undefined;
  httpTimeoutMs: number;
  nodeCacheCapable: boolean;
  managedResources: readonly { name: string; ignoredByScheduler: boolean }[];
  ignorable: boolean;
}

export interface ExtenderTls {
  insecure: boolean;
  serverName: string;
  certFile: string;
  keyFile: string;
  caFile: string;
  /** Base64. */
  certData: string;
  keyData: string;
  caData: string;
}

export interface ResourceSpec {
  name: string;
  weight: number;
}

export interface ShapePoint {
  utilization: number;
  score: number;
}

export interface NodeResourcesFitArgs {
  ignoredResources: readonly string[];
  ignoredResourceGroups: readonly string[];
  scoringStrategy: {
    type: string;
    resources: readonly ResourceSpec[];
    requestedToCapacityRatio: { shape: readonly ShapePoint[] } | undefined;
  };
}

export interface BalancedAllocationArgs {
  resources: readonly ResourceSpec[];
}

export interface InterPodAffinityArgs {
  hardPodAffinityWeight: number;
  ignorePreferredTermsOfExistingPods: boolean;
}

export interface DefaultPreemptionArgs {
  minCandidateNodesPercentage: number;
  minCandidateNodesAbsolute: number;
}

export interface NodeAffinityArgs {
  addedAffinity: NodeAffinity | undefined;
}

export interface PodTopologySpreadArgs {
  defaultConstraints: readonly TopologySpreadConstraint[];
  defaultingType: string;
}

export interface VolumeBindingArgs {
  bindTimeoutSeconds: number;
  shape: readonly ShapePoint[] | undefined;
}

export interface DynamicResourcesArgs {
  filterTimeoutMs: number;
  bindingTimeoutMs: number;
}
