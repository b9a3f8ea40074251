import { type FieldError, FieldPath } from '@annex/machinery';
import { expect, it } from 'vitest';
import { validateStatefulSet, validateStatefulSetUpdate } from './validation.ts';

const container = {
  name: 'c',
  image: 'i',
  terminationMessagePolicy: 'File',
  imagePullPolicy: 'Always',
  volumeMounts: [{ name: 'data', mountPath: '/data' }],
};
const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
const base = {
  podManagementPolicy: 'OrderedReady',
  updateStrategy: { type: 'RollingUpdate' },
  selector: { matchLabels: { app: 'db' } },
  template: {
    metadata: { labels: { app: 'db' } },
    spec: { restartPolicy: 'Always', dnsPolicy: 'ClusterFirst', containers: [container] },
  },
};

const mounted = { volumeClaimTemplates: [{ metadata: { name: 'data' }, spec }] };
const claim = 'spec.volumeClaimTemplates[0].spec';
const claimErrors = [`${claim}.accessModes`, `${claim}.resources[storage]`];

it.each([
  [
    'that claims the volume its pods mount has it',
    { volumeClaimTemplates: [{ metadata: { name: 'data' }, spec }] },
    [],
  ],
  [
    'that claims another one does not',
    { volumeClaimTemplates: [{ metadata: { name: 'other' }, spec }] },
    ['spec.template.spec.containers[0].volumeMounts[0].name'],
  ],
  [
    'that claims one volume twice has it once',
    {
      volumeClaimTemplates: [
        { metadata: { name: 'data' }, spec },
        { metadata: { name: 'data' }, spec },
      ],
    },
    [],
  ],
  ['with an invalid name of its Service', { ...mounted, serviceName: 'A b' }, ['spec.serviceName']],
  ['with a claim of nothing', { volumeClaimTemplates: [{ metadata: { name: 'data' } }] }, claimErrors],
  [
    'whose selector is malformed',
    { ...mounted, selector: { matchLabels: { app: 'A b' } } },
    ['spec.selector.matchLabels', 'spec.selector'],
  ],
])('a StatefulSet %s', (_what, more, fields) => {
  const errors = validateStatefulSet({ spec: { ...base, ...more } }, FieldPath.root);
  expect(errors.map(({ field }: FieldError) => field)).toEqual(fields);
});

it('what a StatefulSet cannot change is not checked again', () => {
  const stored = { spec: { ...base, ...mounted, serviceName: 'A b' } } as never;
  expect(validateStatefulSetUpdate(stored, stored)).toEqual([]);
  const changed = { spec: { ...base, ...mounted } } as never;
  expect(validateStatefulSetUpdate(changed, stored).map(({ field }) => field)).toEqual(['spec']);
});
