import { expect, it } from 'vitest';
import { inGoOrder } from './go-order.ts';

it('orders fields as declared, maps by key, and unknown members last', () => {
  const configMap = {
    odd: 1,
    data: { b: '1', a: '2' },
    metadata: {
      labels: { b: '1', a: '2' },
      ownerReferences: [{ uid: 'u', name: 'n', kind: 'K' }],
      name: 'x',
      uid: 'u',
      namespace: 'n',
    },
  };
  expect(JSON.stringify(inGoOrder(configMap, 'k8s.io.api.core.v1.ConfigMap'))).toBe(
    '{"metadata":{"name":"x","namespace":"n","uid":"u","labels":{"a":"2","b":"1"},' +
      '"ownerReferences":[{"kind":"K","name":"n","uid":"u"}]},"data":{"a":"2","b":"1"},"odd":1}',
  );
});
