import { type FieldError, FieldPath } from '@annex/machinery';
import { expect, it } from 'vitest';
import { validateStatefulSet } from './validation.ts';

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
])('a StatefulSet %s', (_what, more, fields) => {
  const errors = validateStatefulSet({ spec: { ...base, ...more } }, FieldPath.root);
  expect(errors.map(({ field }: FieldError) => field)).toEqual(fields);
});
