import { boolCell, classNameCell, textCell } from '../../shared/cells.ts';
import { immutable } from '../../shared/immutable-fields.ts';
import type { BuiltinKind } from '../../builtin-kind.ts';
import { validateStorageClass } from './validation.ts';

export const storageClasses: BuiltinKind = {
  group: 'storage.k8s.io',
  resource: 'storageclasses',
  defaults: {
    'io.k8s.api.storage.v1.StorageClass': { reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' },
  },
  validation: {
    object: validateStorageClass,
    update: immutable('parameters', 'provisioner', 'reclaimPolicy', 'volumeBindingMode'),
  },
  strategy: {
    allowUnconditionalUpdate: true,
    returnsDeleted: true,
  },
  cells: {
    Name: classNameCell(
      'storageclass.kubernetes.io/is-default-class',
      'storageclass.beta.kubernetes.io/is-default-class',
    ),
    Provisioner: textCell('provisioner'),
    ReclaimPolicy: textCell('reclaimPolicy', 'Delete'),
    VolumeBindingMode: textCell('volumeBindingMode', 'Immediate'),
    AllowVolumeExpansion: boolCell('allowVolumeExpansion'),
  },
};
