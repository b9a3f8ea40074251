import type { JsonObject, KubeObject } from '@annex/machinery';
import { expect, it } from 'vitest';
import { gatedConditions, mergeLabelKeys } from './new-pod.ts';

const podWith = (spec: JsonObject): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'a', labels: { app: 'web', version: '1' } },
  spec,
});
const term = (more: JsonObject = {}): JsonObject => ({ topologyKey: 'zone', ...more });
const added = (key: string, operator: string, value: string) => ({ key, operator, values: [value] });
const existing = { key: 'x', operator: 'Exists' };

it.each<[what: string, before: JsonObject, after: JsonObject]>([
  [
    'keys are added behind the existing expressions',
    term({ labelSelector: { matchExpressions: [existing] }, matchLabelKeys: ['version'] }),
    { labelSelector: { matchExpressions: [existing, added('version', 'In', '1')] } },
  ],
  [
    'other keys exclude the value of the Pod',
    term({ labelSelector: {}, matchLabelKeys: ['version'], mismatchLabelKeys: ['app'] }),
    { labelSelector: { matchExpressions: [added('version', 'In', '1'), added('app', 'NotIn', 'web')] } },
  ],
  [
    'a label that the Pod does not have adds nothing',
    term({ labelSelector: {}, matchLabelKeys: ['z'] }),
    { labelSelector: {} },
  ],
  ['a missing selector stays missing', term({ matchLabelKeys: ['version'] }), {}],
])('%s', (_what, before, after) => {
  const expected = { ...before, ...after };
  const places: [spec: (one: JsonObject) => JsonObject][] = [
    [(one) => ({ topologySpreadConstraints: [one] })],
    ...['podAffinity', 'podAntiAffinity'].flatMap((kind): [(one: JsonObject) => JsonObject][] => [
      [(one) => ({ affinity: { [kind]: { requiredDuringSchedulingIgnoredDuringExecution: [one] } } })],
      [
        (one) => ({
          affinity: {
            [kind]: {
              preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: one }],
            },
          },
        }),
      ],
    ]),
  ];
  for (const [specOf] of places) {
    const pod = podWith(specOf(structuredClone(before)));
    mergeLabelKeys(pod);
    expect(pod.spec).toEqual(specOf(expected));
  }
});

it('a Pod with scheduling gates is created with the condition that kube-apiserver sets', () => {
  expect(gatedConditions({ schedulingGates: [{ name: 'a' }] }, 0)).toEqual([
    {
      type: 'PodScheduled',
      status: 'False',
      lastProbeTime: null,
      lastTransitionTime: '1970-01-01T00:00:00Z',
      reason: 'SchedulingGated',
      message: 'Scheduling is blocked due to non-empty scheduling gates',
    },
  ]);
  expect(gatedConditions({}, 0)).toEqual([]);
});
