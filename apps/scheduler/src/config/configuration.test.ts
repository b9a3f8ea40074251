import { aggregateText } from '@annex/auth';
import { type JsonValue, stringifyJson } from '@annex/machinery';
import { expect, it } from 'vitest';
import { decodeConfiguration } from './decode.ts';
import { validateConfiguration } from './validate.ts';

const header = { apiVersion: 'kubescheduler.config.k8s.io/v1', kind: 'KubeSchedulerConfiguration' };

const errorOf = async (config: object): Promise<string> => {
  try {
    return aggregateText(
      validateConfiguration(await decodeConfiguration(stringifyJson({ ...header, ...config } as JsonValue))),
    );
  } catch (error) {
    return (error as Error).message;
  }
};

const args = (name: string, of: object) => ({ profiles: [{ pluginConfig: [{ name, args: of }] }] });

const score = (weight: number) => ({
  profiles: [{ plugins: { score: { enabled: [{ name: 'ImageLocality', weight }] } } }],
});

it.each<[string, object, string]>([
  [
    'a version of the past is not registered',
    { apiVersion: 'kubescheduler.config.k8s.io/v1beta2' },
    'no kind "KubeSchedulerConfiguration" is registered for version "kubescheduler.config.k8s.io/v1beta2" in scheme "pkg/runtime/scheme.go:111"',
  ],
  ['unknown fields are errors', { profile: [] }, 'strict decoding error: unknown field "profile"'],
  [
    'unknown arguments of a plugin are errors',
    args('InterPodAffinity', { weight: 1 }),
    'strict decoding error: decoding .profiles[0].pluginConfig[0]: strict decoding error: decoding args for plugin InterPodAffinity: strict decoding error: unknown field "weight"',
  ],
  [
    'a lease must outlast its renewal',
    { leaderElection: { leaseDuration: '-1s' } },
    '[leaderElection.leaseDuration: Invalid value: "-1s": must be greater than zero, leaderElection.leaseDuration: Invalid value: "10s": must be greater than `RenewDeadline`]',
  ],
  [
    'durations are those of Go',
    { leaderElection: { leaseDuration: 'soon' } },
    'time: invalid duration "soon"',
  ],
  [
    'two profiles need names',
    { profiles: [{}, { schedulerName: 'b' }] },
    'profiles[0].schedulerName: Required value',
  ],
  [
    'names of profiles are unique',
    { profiles: [{ schedulerName: 'a' }, { schedulerName: 'a' }] },
    'profiles[1].schedulerName: Duplicate value: {}',
  ],
  [
    'the percentage has a range',
    { percentageOfNodesToScore: 101 },
    'percentageOfNodesToScore: Invalid value: 101: not in valid range [0-100]',
  ],
  [
    'a plugin of the past is refused',
    { profiles: [{ plugins: { filter: { enabled: [{ name: 'EBSLimits' }] } } }] },
    'profiles[0].plugins.filter.enabled[0]: Invalid value: "EBSLimits": was invalid in version "v1" (KubeSchedulerConfiguration is version "kubescheduler.config.k8s.io/v1")',
  ],
  [
    'an extender that scores needs a weight',
    { extenders: [{ urlPrefix: 'http://127.0.0.1', prioritizeVerb: 'p' }] },
    'extenders[0].weight: Invalid value: 0: must have a positive weight applied to it',
  ],
  [
    'a weight has 32 bits',
    score(3_000_000_000),
    'json: cannot unmarshal number 3000000000 into Go struct field Plugin.profiles.plugins.score.enabled.weight of type int32',
  ],
  [
    'a weight is an integer',
    score(1.5),
    'json: cannot unmarshal number 1.5 into Go struct field Plugin.profiles.plugins.score.enabled.weight of type int32',
  ],
  [
    'integers of 64 bits are read exactly',
    { podInitialBackoffSeconds: 9_223_372_036_854_775_808n },
    'json: cannot unmarshal number 9223372036854775808 into Go struct field KubeSchedulerConfiguration.podInitialBackoffSeconds of type int64',
  ],
  [
    'a rate has the range of float32',
    { clientConnection: { qps: 1e300 } },
    'json: cannot unmarshal number 1e+300 into Go struct field ClientConnectionConfiguration.clientConnection.qps of type float32',
  ],
  [
    'arguments are an object',
    args('NodeResourcesFit', [1]),
    String.raw`decoding .profiles[0].pluginConfig[0]: decoding args for plugin NodeResourcesFit: couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }`,
  ],
  [
    'arguments have the version of the configuration',
    args('NodeResourcesFit', { apiVersion: 'kubescheduler.config.k8s.io/v1beta3' }),
    'decoding .profiles[0].pluginConfig[0]: decoding args for plugin NodeResourcesFit: no kind "NodeResourcesFitArgs" is registered for version "kubescheduler.config.k8s.io/v1beta3" in scheme "pkg/runtime/scheme.go:111"',
  ],
  [
    'unknown fields inside of an affinity are errors',
    args('NodeAffinity', { addedAffinity: { required: {} } }),
    'strict decoding error: decoding .profiles[0].pluginConfig[0]: strict decoding error: decoding args for plugin NodeAffinity: strict decoding error: unknown field "addedAffinity.required"',
  ],
  [
    'data of certificates is base64',
    { extenders: [{ urlPrefix: 'https://e', tlsConfig: { caData: 'Zm9v!' } }] },
    'illegal base64 data at input byte 4',
  ],
  [
    'base64 is complete',
    { extenders: [{ urlPrefix: 'https://e', tlsConfig: { keyData: 'Zm9vYg' } }] },
    'illegal base64 data at input byte 4',
  ],
  [
    'an invalid duration takes precedence over other errors',
    { parallelism: 'x', nope: 1, extenders: [{ httpTimeout: 'soon' }] },
    'time: invalid duration "soon"',
  ],
  [
    'errors of arguments take precedence over unknown fields',
    { nope: 1, ...args('InterPodAffinity', { hardPodAffinityWeight: 'x' }) },
    'decoding .profiles[0].pluginConfig[0]: decoding args for plugin InterPodAffinity: json: cannot unmarshal string into Go struct field InterPodAffinityArgs.hardPodAffinityWeight of type int32',
  ],
  [
    'unknown fields of arguments follow those of the configuration',
    { nope: 1, ...args('InterPodAffinity', { foo: 1 }) },
    'strict decoding error: unknown field "nope", decoding .profiles[0].pluginConfig[0]: strict decoding error: decoding args for plugin InterPodAffinity: strict decoding error: unknown field "foo"',
  ],
  [
    'errors name embedded structs',
    { enableProfiling: 1 },
    'json: cannot unmarshal number into Go struct field KubeSchedulerConfiguration.DebuggingConfiguration.enableProfiling of type bool',
  ],
  [
    'preemption needs candidates',
    args('DefaultPreemption', { minCandidateNodesPercentage: 101 }),
    'profiles[0].pluginConfig[0].args.minCandidateNodesPercentage: Invalid value: 101: not in valid range [0, 100]',
  ],
  [
    'default constraints have no selectors',
    args('PodTopologySpread', {
      defaultingType: 'List',
      defaultConstraints: [
        { maxSkew: 1, topologyKey: 'z', whenUnsatisfiable: 'DoNotSchedule', labelSelector: {} },
      ],
    }),
    'profiles[0].pluginConfig[0].args.defaultConstraints[0].labelSelector: Forbidden: constraint must not define a selector, as they deduced for each pod',
  ],
])('%s', async (_name, config, text) => {
  expect(await errorOf(config)).toBe(text);
});

it('SCH-010: v1beta2 is accepted on request', async () => {
  const text = JSON.stringify({
    ...header,
    apiVersion: 'kubescheduler.config.k8s.io/v1beta2',
    profiles: [{ schedulerName: 'mine' }],
  });
  const { profiles } = await decodeConfiguration(text, { acceptEarlierVersions: true });
  expect(profiles.map(({ schedulerName }) => schedulerName)).toEqual(['mine']);
});

it('FIX-036 the configuration of the page about several schedulers has one profile, without leader election', async () => {
  const text = `apiVersion: kubescheduler.config.k8s.io/v1beta2
kind: KubeSchedulerConfiguration
profiles:
  - schedulerName: my-scheduler
leaderElection:
  leaderElect: false
`;
  const { profiles, leaderElection } = await decodeConfiguration(text, { acceptEarlierVersions: true });
  expect(profiles.map(({ schedulerName }) => schedulerName)).toEqual(['my-scheduler']);
  expect(leaderElection.leaderElect).toBe(false);
});

it('a plugin that is enabled again keeps its place with the new weight', async () => {
  const profiles = [
    {
      plugins: {
        multiPoint: {
          enabled: [{ name: 'TaintToleration', weight: 7 }, { name: 'Mine' }],
          disabled: [{ name: 'ImageLocality' }],
        },
      },
    },
  ];
  const config = await decodeConfiguration(JSON.stringify({ ...header, profiles }));
  const enabled = config.profiles[0]?.plugins.get('multiPoint')?.enabled ?? [];
  expect(enabled[4]).toEqual({ name: 'TaintToleration', weight: 7 });
  expect(enabled.at(-1)?.name).toBe('Mine');
  expect(enabled.some(({ name }) => name === 'ImageLocality')).toBe(false);
});

it.each([
  ['is not limited by default', {}, false],
  ['is limited by a positive qps', { qps: 5 }, true],
  ['is not limited by a negative qps, as in client-go', { qps: -1 }, false],
])('the rate of requests %s', async (_name, clientConnection, isLimited) => {
  const config = await decodeConfiguration(JSON.stringify({ ...header, clientConnection }));
  expect(config.clientConnection.isLimited).toBe(isLimited);
});
