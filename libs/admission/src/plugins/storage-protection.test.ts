import { expect, it } from 'vitest';
import { servedKinds } from '../served-kinds.fixture.ts';

const { create } = servedKinds();

it('volumes get a finalizer that protects them while they are in use', async () => {
  const volume = {
    metadata: { name: 'v' },
    spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' } },
  };
  expect((await create('/api/v1/persistentvolumes', volume)).metadata).toMatchObject({
    finalizers: ['kubernetes.io/pv-protection'],
  });
});
