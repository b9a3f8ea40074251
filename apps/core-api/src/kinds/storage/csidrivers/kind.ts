import { at, boolCell, joinedCell, listAt } from '../../shared/cells.ts';
import { inSpec } from '../../shared/checks.ts';
import type { BuiltinKind } from '../../builtin-kind.ts';
import { csiDriverSpecDefaults } from './defaults.ts';
import { fixedSettings, validateCsiDriverSpec } from './validation.ts';
import { driverWarnings } from './warnings.ts';

export const csiDrivers: BuiltinKind = {
  group: 'storage.k8s.io',
  resource: 'csidrivers',
  defaults: { 'io.k8s.api.storage.v1.CSIDriverSpec': csiDriverSpecDefaults },
  validation: { object: inSpec(validateCsiDriverSpec), update: fixedSettings },
  warnings: driverWarnings,
  strategy: {
    generation: 'fromFirstChange',
    metaChecks: { asUpdate: 1, asWhole: 0, standardFinalizers: true },
    returnsDeleted: true,
  },
  cells: {
    AttachRequired: boolCell('spec.attachRequired', true),
    PodInfoOnMount: boolCell('spec.podInfoOnMount'),
    StorageCapacity: boolCell('spec.storageCapacity'),
    TokenRequests: (driver) =>
      at(driver, 'spec.tokenRequests') === undefined
        ? '<unset>'
        : listAt(driver, 'spec.tokenRequests')
            .map(({ audience }) => String(audience ?? ''))
            .join(','),
    RequiresRepublish: boolCell('spec.requiresRepublish'),
    Modes: joinedCell('spec.volumeLifecycleModes', '<none>'),
  },
};
