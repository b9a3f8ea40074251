import type { AdmissionPlugin } from '@annex/server';

const finalizers: Readonly<Record<string, string>> = {
  '/persistentvolumes': 'kubernetes.io/pv-protection',
  '/persistentvolumeclaims': 'kubernetes.io/pvc-protection',
  'storage.k8s.io/volumeattributesclasses': 'kubernetes.io/vac-protection',
};

/** New volumes and claims cannot go while they are used: a controller takes the finalizer away when they are not. */
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
