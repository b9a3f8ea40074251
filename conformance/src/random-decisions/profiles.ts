import type { ExtenderSpec } from '../scheduler/scenario.ts';
import { zoneLabel } from './labels.ts';
import { deviceResource } from './random-devices.ts';

/** The names of the profiles; most Pods use the first. */
export const schedulerNames = ['default-scheduler', 'packing', 'ratio', 'bare'];

/** The resources that extenders manage. Nodes need not have the first. */
export const extenderResources = ['example.com/licence', 'example.com/slot', 'example.com/tape'] as const;

/** What the extenders respond, by name. */
export const extenderSpecs: Readonly<Record<string, ExtenderSpec>> = {
  licences: {
    filter: {
      keep: ['n0', 'n1', 'n2', 'n3', 'n5'],
      failed: { n4: 'no licence', n6: 'no licence' },
      unresolvable: { n7: 'never a licence' },
    },
    prioritize: { scores: { n0: 3, n1: 10, n2: 7, n3: 1 } },
    preempt: { keep: ['n0', 'n2', 'n4'] },
  },
  slots: { filter: { keep: ['n1', 'n2', 'n3'], failed: { n0: 'no slot' } }, spelling: 'lower' },
  broken: { filter: { status: 500 } },
};

const nothing = { disabled: [{ name: '*' }] };

/** Returns the configuration of both schedulers. `addresses` are the URLs of the extenders. */
export const configurationOf = (kubeconfig: string, addresses: ReadonlyMap<string, string>): object => ({
  apiVersion: 'kubescheduler.config.k8s.io/v1',
  kind: 'KubeSchedulerConfiguration',
  leaderElection: { leaderElect: false },
  clientConnection: { kubeconfig, qps: 5_000, burst: 5_000 },
  profiles: [{ schedulerName: 'default-scheduler' }, packing, ratio, bare],
  extenders: [
    {
      urlPrefix: addresses.get('licences'),
      filterVerb: 'filter',
      prioritizeVerb: 'prioritize',
      preemptVerb: 'preempt',
      weight: 2,
      managedResources: [{ name: extenderResources[0], ignoredByScheduler: true }],
    },
    {
      urlPrefix: addresses.get('slots'),
      filterVerb: 'filter',
      nodeCacheCapable: true,
      managedResources: [{ name: extenderResources[1] }],
    },
    {
      urlPrefix: addresses.get('broken'),
      filterVerb: 'filter',
      ignorable: true,
      managedResources: [{ name: extenderResources[2] }],
    },
  ],
});

const packing = {
  schedulerName: 'packing',
  plugins: {
    score: {
      disabled: [{ name: 'ImageLocality' }, { name: 'TaintToleration' }],
      enabled: [{ name: 'TaintToleration', weight: 1 }],
    },
    multiPoint: { enabled: [{ name: 'InterPodAffinity', weight: 7 }] },
  },
  pluginConfig: [
    {
      name: 'NodeResourcesFit',
      args: {
        scoringStrategy: {
          type: 'MostAllocated',
          resources: [
            { name: 'cpu', weight: 3 },
            { name: 'memory', weight: 1 },
            { name: 'example.com/gpu', weight: 5 },
            { name: deviceResource, weight: 5 },
          ],
        },
      },
    },
    {
      name: 'NodeResourcesBalancedAllocation',
      args: {
        resources: [
          { name: 'cpu', weight: 1 },
          { name: 'memory', weight: 1 },
          { name: 'ephemeral-storage', weight: 1 },
        ],
      },
    },
    {
      name: 'InterPodAffinity',
      args: { hardPodAffinityWeight: 60, ignorePreferredTermsOfExistingPods: true },
    },
    {
      name: 'PodTopologySpread',
      args: {
        defaultingType: 'List',
        defaultConstraints: [
          { maxSkew: 1, topologyKey: zoneLabel, whenUnsatisfiable: 'DoNotSchedule' },
          { maxSkew: 2, topologyKey: 'disk', whenUnsatisfiable: 'ScheduleAnyway' },
        ],
      },
    },
  ],
};

const ratio = {
  schedulerName: 'ratio',
  percentageOfNodesToScore: 50,
  pluginConfig: [
    {
      name: 'NodeResourcesFit',
      args: {
        ignoredResources: ['example.com/gpu'],
        scoringStrategy: {
          type: 'RequestedToCapacityRatio',
          resources: [
            { name: 'cpu', weight: 1 },
            { name: 'memory', weight: 2 },
          ],
          requestedToCapacityRatio: {
            shape: [
              { utilization: 0, score: 2 },
              { utilization: 60, score: 10 },
              { utilization: 100, score: 1 },
            ],
          },
        },
      },
    },
    {
      name: 'NodeAffinity',
      args: {
        addedAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [
              { matchExpressions: [{ key: 'tier', operator: 'NotIn', values: ['1'] }] },
              { matchExpressions: [{ key: 'disk', operator: 'Exists' }] },
            ],
          },
          preferredDuringSchedulingIgnoredDuringExecution: [
            {
              weight: 40,
              preference: { matchExpressions: [{ key: 'tier', operator: 'Gt', values: ['3'] }] },
            },
          ],
        },
      },
    },
    { name: 'DefaultPreemption', args: { minCandidateNodesPercentage: 100, minCandidateNodesAbsolute: 100 } },
  ],
};

const bare = {
  schedulerName: 'bare',
  plugins: {
    postFilter: nothing,
    preScore: nothing,
    score: { ...nothing, enabled: [{ name: 'ImageLocality', weight: 2 }, { name: 'NodeResourcesFit' }] },
    filter: { disabled: [{ name: 'TaintToleration' }, { name: 'NodePorts' }] },
  },
};
