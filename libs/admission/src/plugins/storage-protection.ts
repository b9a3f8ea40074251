import type { AdmissionPlugin } from '@annex/server';

const finalizers: Readonly<Record<string, string>> = {
  '/persistentvolumes': 'kubernetes.io/pv-protection',
  '/persistentvolumeclaims': 'kubernetes.io/pvc-protection',
  'storage.k8s.io/volumeattributesclasses': 'kubernetes.io/vac-protection',
};

/** Adds a finalizer to new volumes and claims. A controller removes it when the object is not in use. */
export const storageObjectInUseProtection: AdmissionPlugin = {
  name: 'StorageObjectInUseProtection',
  resources: Object.keys(finalizers),
  mutate({ kind, operation, subresource, object }) {
    const finalizer = finalizers[`${kind.group}/${kind.resource}`];
    if (finalizer === undefined || operation !== 'CREATE' || subresource !== '' || object === undefined)
      return;
    const provided = object.metadata.finalizers ?? [];
    if (!provided.includes(finalizer)) object.metadata.finalizers = [...provided, finalizer];
  },
};
