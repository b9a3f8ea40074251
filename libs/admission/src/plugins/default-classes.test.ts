import { expect, it } from 'vitest';
import { servedKinds } from '../served-kinds.fixture.ts';

const { create } = servedKinds();

it('claims and Ingresses without a class get the default one', async () => {
  const annotations = (kind: string) => ({ [`${kind}.kubernetes.io/is-default-class`]: 'true' });
  await create('/apis/storage.k8s.io/v1/storageclasses', {
    metadata: { name: 'fast', annotations: annotations('storageclass') },
    provisioner: 'a.b/c',
  });
  await create('/apis/networking.k8s.io/v1/ingressclasses', {
    metadata: { name: 'front', annotations: annotations('ingressclass') },
    spec: { controller: 'a.b/c' },
  });
  const claim = {
    metadata: { name: 'd' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  };
  expect((await create('/api/v1/namespaces/ns/persistentvolumeclaims', claim)).spec).toMatchObject({
    storageClassName: 'fast',
  });
  const ingress = {
    metadata: { name: 'i' },
    spec: { defaultBackend: { service: { name: 'x', port: { number: 80 } } } },
  };
  expect((await create('/apis/networking.k8s.io/v1/namespaces/ns/ingresses', ingress)).spec).toMatchObject({
    ingressClassName: 'front',
  });
});
