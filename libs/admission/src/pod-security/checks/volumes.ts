import { getOwn } from '@annex/machinery';
import { type CheckPod, named, plural, quoted, sortedSet } from './check.ts';

const allowed = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'image',
  'persistentVolumeClaim',
  'projected',
  'secret',
];

/** The first matching type of a volume is reported. */
const forbidden = [
  'hostPath',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'gitRepo',
  'nfs',
  'iscsi',
  'glusterfs',
  'rbd',
  'flexVolume',
  'cinder',
  'cephfs',
  'flocker',
  'fc',
  'azureFile',
  'vsphereVolume',
  'quobyte',
  'azureDisk',
  'photonPersistentDisk',
  'portworxVolume',
  'scaleIO',
  'storageos',
];

export const volumeTypes: CheckPod = ({ spec }) => {
  const invalid = (spec.volumes ?? []).filter((volume) => !allowed.some((type) => getOwn(volume, type)));
  if (invalid.length === 0) return undefined;
  const names = invalid.map(({ name }) => String(name));
  const types = sortedSet(
    invalid.map((volume) => forbidden.find((type) => getOwn(volume, type) !== undefined) ?? 'unknown'),
  );
  const use = names.length === 1 ? 'uses' : 'use';
  const what = plural('restricted volume type', types.length);
  return {
    reason: 'restricted volume types',
    detail: `${named('volume', names)} ${use} ${what} ${quoted(types)}`,
  };
};
