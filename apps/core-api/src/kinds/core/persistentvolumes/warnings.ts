import { getOwn, isObject } from '@annex/machinery';
import { childOf } from '../../shared/checks.ts';
import { about, annotations, root, type Warnings } from '../../shared/warnings.ts';
import { formerClassAnnotation } from '../shared/volumes.ts';

const formerVolumes: Readonly<Record<string, string>> = {
  cephfs: 'deprecated in v1.28, non-functional in v1.31+',
  photonPersistentDisk: 'deprecated in v1.11, non-functional in v1.16+',
  scaleIO: 'deprecated in v1.16, non-functional in v1.22+',
  storageos: 'deprecated in v1.22, non-functional in v1.25+',
  glusterfs: 'deprecated in v1.25, non-functional in v1.26+',
  rbd: 'deprecated in v1.28, non-functional in v1.31+',
};

export const volumeWarnings: Warnings = (object) => {
  const spec = childOf(object, 'spec');
  const recycles = spec.persistentVolumeReclaimPolicy === 'Recycle';
  const text =
    'The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.';
  return [
    ...annotations(object, formerClassAnnotation, root),
    ...(recycles ? [about(root.child('spec', 'persistentVolumeReclaimPolicy'), text)] : []),
    ...Object.entries(formerVolumes).flatMap(([type, why]) =>
      isObject(getOwn(spec, type)) ? [about(root.child('spec', type), why)] : [],
    ),
  ];
};
