import { fieldErrorText, type JsonObject, type KubeObject } from '@annex/machinery';
import { expect, it } from 'vitest';
import { validateJobUpdate } from './update.ts';

const container = {
  name: 'c',
  image: 'i',
  resources: {},
  imagePullPolicy: 'Always',
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
};
const zone = (value: string) => ({
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: [value] }] }],
    },
  },
});
const spread = { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } };

/** A Job with changes of its spec, of the spec of its Pods, and with a status. */
const job = (
  spec: JsonObject,
  pod: JsonObject = {},
  status: JsonObject = {},
  labels: JsonObject = {},
): KubeObject => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'a' },
  spec: {
    completions: 3,
    parallelism: 2,
    selector: {},
    template: {
      metadata: { labels },
      spec: { restartPolicy: 'Never', dnsPolicy: 'ClusterFirst', containers: [container], ...pod },
    },
    ...spec,
  } as JsonObject,
  status,
});
const suspended = { suspend: true };
const changed = {
  containers: [{ ...container, resources: { requests: { cpu: '1' } } }],
  nodeSelector: { zone: 'a' },
  tolerations: [{ key: 'a', operator: 'Exists' }],
  schedulingGates: [{ name: 'a' }],
  affinity: zone('a'),
};
const template = ['spec.template: field is immutable'];
const podSpec = ['spec.template.spec: field is immutable'];

it.each<[string, KubeObject, KubeObject, string[]]>([
  ['nothing', job({}), job({}), []],
  ['parallelism', job({}), job({ parallelism: 7 }), []],
  ['completions', job({}), job({ completions: 4 }), ['spec.completions: field is immutable']],
  [
    'completions of an indexed Job without parallelism',
    job({ completionMode: 'Indexed' }),
    job({ completionMode: 'Indexed', completions: 4 }),
    ['spec.completions: can only be modified in tandem with spec.parallelism'],
  ],
  [
    'both numbers of an indexed Job',
    job({ completionMode: 'Indexed' }),
    job({ completionMode: 'Indexed', completions: 4, parallelism: 4 }),
    [],
  ],
  [
    'what a Job is',
    job({}),
    job({
      selector: { matchExpressions: [] },
      podFailurePolicy: { rules: [] },
      managedBy: 'a/b',
    }),
    ['selector', 'podFailurePolicy', 'managedBy'].map((name) => `spec.${name}: field is immutable`),
  ],
  [
    'what an indexed Job is',
    job({ completionMode: 'Indexed' }),
    job({
      completionMode: 'Indexed',
      backoffLimitPerIndex: 1,
      successPolicy: { rules: [{ succeededCount: 1 }] },
    }),
    ['backoffLimitPerIndex', 'successPolicy'].map((name) => `spec.${name}: field is immutable`),
  ],
  [
    'a Job with a failure policy that waits for the end of Pods',
    job({ podFailurePolicy: { rules: [] } }),
    job({ podFailurePolicy: { rules: [] }, podReplacementPolicy: 'TerminatingOrFailed' }),
    ['spec.podReplacementPolicy: supported values: "Failed"'],
  ],
  ['the Pods of a running Job', job({}), job({}, changed), template],
  ['where Pods of a suspended Job run', job(suspended), job(suspended, changed), []],
  ['their labels', job(suspended), job(suspended, {}, {}, { a: 'b' }), []],
  ['it and resumes', job(suspended), job({}, changed), []],
  [
    'a suspended Job that has run',
    job(suspended, {}, { startTime: 't' }),
    job(suspended, changed, { startTime: 't' }),
    template,
  ],
  [
    'a Job that was suspended while it ran',
    job(suspended, {}, { startTime: 't', conditions: [{ type: 'Suspended', status: 'True' }] }),
    job(suspended, changed),
    [],
  ],
  ['a suspended Job with Pods', job(suspended, {}, { active: 1 }), job(suspended, changed), template],
  [
    'the image of a suspended Job',
    job(suspended),
    job(suspended, { containers: [{ ...container, image: 'j' }] }),
    podSpec,
  ],
  [
    'its number of containers',
    job(suspended),
    job(suspended, { containers: [container, { ...container, name: 'd' }] }),
    podSpec,
  ],
  ['other affinity of a suspended Job', job(suspended), job(suspended, { affinity: spread }), podSpec],
  ['the node affinity away', job(suspended, { affinity: zone('a') }), job(suspended), []],
  ['other affinity away', job(suspended, { affinity: { ...zone('a'), ...spread } }), job(suspended), podSpec],
  [
    'one of two affinities',
    job(suspended, { affinity: { ...zone('a'), ...spread } }),
    job(suspended, { affinity: { ...zone('b'), ...spread } }),
    [],
  ],
])('changes %s', (_what, old, now, expected) => {
  expect(validateJobUpdate(now, old).map(({ field, detail }) => `${field}: ${detail}`)).toEqual(expected);
});

const disrupted = { type: 'DisruptionTarget', status: 'True' };

// The texts are those of kube-apiserver 1.36.3.
it.each<[string, JsonObject, string]>([
  [
    'failure policy',
    {
      podFailurePolicy: {
        rules: [
          { action: 'FailJob', onExitCodes: { containerName: 'c', operator: 'In', values: [1] } },
          { action: 'Ignore', onPodConditions: [disrupted] },
        ],
      },
    },
    'spec.podFailurePolicy: Invalid value: {"Rules":[{"Action":"FailJob","OnExitCodes":{"ContainerName":"c","Operator":"In","Values":[1]},"OnPodConditions":null},{"Action":"Ignore","OnExitCodes":null,"OnPodConditions":[{"Type":"DisruptionTarget","Status":"True"}]}]}: field is immutable',
  ],
  [
    'success policy',
    { completionMode: 'Indexed', successPolicy: { rules: [{ succeededIndexes: '0' }] } },
    'spec.successPolicy: Invalid value: {"Rules":[{"SucceededIndexes":"0","SucceededCount":null}]}: field is immutable',
  ],
])('the %s of a Job is printed as its Go value', (_what, spec, expected) => {
  const { podFailurePolicy: _failure, successPolicy: _success, ...old } = spec;
  expect(validateJobUpdate(job(spec), job(old)).map(fieldErrorText)).toContain(expected);
});

it('the template of a Job is printed as its Go value', () => {
  const error = validateJobUpdate(job({}, { hostPID: true }, {}, { a: 'b' }), job({}))
    .map(fieldErrorText)
    .find((text) => text.startsWith('spec.template:'));
  expect(error).toMatch(
    /^spec\.template: Invalid value: \{"labels":\{"a":"b"\},"Spec":\{"Volumes":null,.*"HostPID":true,.*\}\}: field is immutable$/,
  );
});
