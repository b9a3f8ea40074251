import {
  configurationOptional as optional,
  type ConfigurationShape,
  configurationStruct as struct,
  type ConfigurationStruct,
} from '@annex/auth';

const plugin = struct('Plugin', { name: 'string', weight: 'int32' });
const pluginSet = struct('PluginSet', { enabled: [plugin], disabled: [plugin] });

/** The sets of plugins of a profile. */
export const pluginSetNames = [
  'preEnqueue',
  'queueSort',
  'preFilter',
  'filter',
  'postFilter',
  'preScore',
  'score',
  'reserve',
  'permit',
  'preBind',
  'bind',
  'postBind',
  'multiPoint',
  'placementGenerate',
  'placementScore',
] as const;

const profile = struct('KubeSchedulerProfile', {
  schedulerName: 'pointer',
  percentageOfNodesToScore: 'int32',
  plugins: optional(
    struct('Plugins', Object.fromEntries(pluginSetNames.map((name) => [name, optional(pluginSet)]))),
  ),
  pluginConfig: [struct('PluginConfig', { name: 'string', args: 'any' })],
});

const extender = struct('Extender', {
  urlPrefix: 'string',
  filterVerb: 'string',
  preemptVerb: 'string',
  prioritizeVerb: 'string',
  weight: 'int64',
  bindVerb: 'string',
  enableHTTPS: 'bool',
  tlsConfig: optional(
    struct('ExtenderTLSConfig', {
      insecure: 'bool',
      serverName: 'string',
      certFile: 'string',
      keyFile: 'string',
      caFile: 'string',
      certData: 'bytes',
      keyData: 'bytes',
      caData: 'bytes',
    }),
  ),
  httpTimeout: 'duration',
  nodeCacheCapable: 'bool',
  managedResources: [struct('ExtenderManagedResource', { name: 'string', ignoredByScheduler: 'bool' })],
  ignorable: 'bool',
});

/** The fields of `KubeSchedulerConfiguration`. */
export const configurationFields: ConfigurationStruct['fields'] = {
  parallelism: 'int32',
  leaderElection: struct('LeaderElectionConfiguration', {
    leaderElect: 'optionalBool',
    leaseDuration: 'duration',
    renewDeadline: 'duration',
    retryPeriod: 'duration',
    resourceLock: 'string',
    resourceName: 'string',
    resourceNamespace: 'string',
  }),
  clientConnection: struct('ClientConnectionConfiguration', {
    kubeconfig: 'string',
    acceptContentTypes: 'string',
    contentType: 'string',
    qps: 'float32',
    burst: 'int32',
  }),
  enableProfiling: 'optionalBool',
  enableContentionProfiling: 'optionalBool',
  percentageOfNodesToScore: 'int32',
  podInitialBackoffSeconds: 'int64',
  podMaxBackoffSeconds: 'int64',
  profiles: [profile],
  extenders: [extender],
  delayCacheUntilActive: 'bool',
};

/** The Go struct that contains these fields. */
export const embeddedFields: ReadonlyMap<string, string> = new Map([
  ['enableProfiling', 'DebuggingConfiguration'],
  ['enableContentionProfiling', 'DebuggingConfiguration'],
]);

const resources: ConfigurationShape = [struct('ResourceSpec', { name: 'string', weight: 'int64' })];
const shape: ConfigurationShape = [struct('UtilizationShapePoint', { utilization: 'int32', score: 'int32' })];

/** The fields of the arguments of each plugin that has some. */
export const argumentFields: ReadonlyMap<string, ConfigurationStruct['fields']> = new Map(
  Object.entries<ConfigurationStruct['fields']>({
    NodeResourcesFit: {
      ignoredResources: ['string'],
      ignoredResourceGroups: ['string'],
      scoringStrategy: optional(
        struct('ScoringStrategy', {
          type: 'string',
          resources,
          requestedToCapacityRatio: optional(struct('RequestedToCapacityRatioParam', { shape })),
        }),
      ),
    },
    NodeResourcesBalancedAllocation: { resources },
    InterPodAffinity: { hardPodAffinityWeight: 'int32', ignorePreferredTermsOfExistingPods: 'bool' },
    DefaultPreemption: { minCandidateNodesPercentage: 'int32', minCandidateNodesAbsolute: 'int32' },
    NodeAffinity: { addedAffinity: 'any' },
    PodTopologySpread: {
      defaultConstraints: [
        struct('TopologySpreadConstraint', {
          maxSkew: 'int32',
          topologyKey: 'string',
          whenUnsatisfiable: 'string',
          labelSelector: 'any',
          minDomains: 'int32',
          nodeAffinityPolicy: 'pointer',
          nodeTaintsPolicy: 'pointer',
          matchLabelKeys: ['string'],
        }),
      ],
      defaultingType: 'string',
    },
    VolumeBinding: { bindTimeoutSeconds: 'int64', shape: optional(shape) },
    DynamicResources: { filterTimeout: 'duration', bindingTimeout: 'duration' },
  }),
);

const requirements: ConfigurationShape = [
  struct('NodeSelectorRequirement', { key: 'string', operator: 'string', values: ['string'] }),
];
const term = struct('NodeSelectorTerm', { matchExpressions: requirements, matchFields: requirements });

/** Fields of arguments that are kept as they are sent, with the shapes that strict decoding compares them with. */
export const strictFields: ReadonlyMap<string, ConfigurationStruct['fields']> = new Map([
  [
    'NodeAffinity',
    {
      addedAffinity: optional(
        struct('NodeAffinity', {
          requiredDuringSchedulingIgnoredDuringExecution: optional(
            struct('NodeSelector', { nodeSelectorTerms: [term] }),
          ),
          preferredDuringSchedulingIgnoredDuringExecution: [
            struct('PreferredSchedulingTerm', { weight: 'int32', preference: term }),
          ],
        }),
      ),
    },
  ],
]);
