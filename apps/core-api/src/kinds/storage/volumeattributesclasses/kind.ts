import { textCell } from '../../shared/cells.ts';
import { immutable } from '../../shared/immutable-fields.ts';
import type { BuiltinKind } from '../../builtin-kind.ts';
import { validateVolumeAttributesClass } from './validation.ts';

export const volumeAttributesClasses: BuiltinKind = {
  group: 'storage.k8s.io',
  resource: 'volumeattributesclasses',
  validation: {
    object: validateVolumeAttributesClass,
    changesFirst: true,
    update: immutable(
      { path: 'driverName', text: 'updates to driverName are forbidden.' },
      { path: 'parameters', text: 'updates to parameters are forbidden.' },
    ),
  },
  strategy: {
    allowUnconditionalUpdate: true,
    returnsDeleted: true,
  },
  cells: { DriverName: textCell('driverName') },
};
