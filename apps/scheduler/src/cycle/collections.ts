import type { ClusterObjects } from '../cache/cluster.ts';
import type { EventResource } from '../framework/cluster-event.ts';

/** A collection that plugins read, and the kind of its events; without one, its changes wake no Pods. */
export interface Collection {
  path: string;
  store: keyof ClusterObjects;
  resource?: EventResource;
}

/** The collections besides nodes and Pods. */
export const collections: readonly Collection[] = [
  { path: '/api/v1/namespaces', store: 'namespaces' },
  { path: '/api/v1/services', store: 'services' },
  { path: '/api/v1/replicationcontrollers', store: 'replicationControllers' },
  { path: '/apis/apps/v1/replicasets', store: 'replicaSets' },
  { path: '/apis/apps/v1/statefulsets', store: 'statefulSets' },
  { path: '/apis/policy/v1/poddisruptionbudgets', store: 'disruptionBudgets' },
  { path: '/api/v1/persistentvolumes', store: 'volumes', resource: 'PersistentVolume' },
  { path: '/api/v1/persistentvolumeclaims', store: 'claims', resource: 'PersistentVolumeClaim' },
  { path: '/apis/storage.k8s.io/v1/storageclasses', store: 'storageClasses', resource: 'StorageClass' },
  { path: '/apis/storage.k8s.io/v1/csinodes', store: 'csiNodes', resource: 'CSINode' },
  { path: '/apis/storage.k8s.io/v1/csidrivers', store: 'csiDrivers', resource: 'CSIDriver' },
  {
    path: '/apis/storage.k8s.io/v1/csistoragecapacities',
    store: 'csiCapacities',
    resource: 'CSIStorageCapacity',
  },
  {
    path: '/apis/storage.k8s.io/v1/volumeattachments',
    store: 'volumeAttachments',
    resource: 'VolumeAttachment',
  },
  { path: '/apis/resource.k8s.io/v1/resourceclaims', store: 'resourceClaims', resource: 'ResourceClaim' },
  { path: '/apis/resource.k8s.io/v1/resourceslices', store: 'resourceSlices', resource: 'ResourceSlice' },
  { path: '/apis/resource.k8s.io/v1/deviceclasses', store: 'deviceClasses', resource: 'DeviceClass' },
];

/** The field selector of Pods that have not ended. */
export const activePods = 'status.phase!=Succeeded,status.phase!=Failed';
