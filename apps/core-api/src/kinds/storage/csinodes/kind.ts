import { countCell } from '../../shared/cells.ts';
import { inSpec } from '../../shared/checks.ts';
import type { BuiltinKind } from '../../builtin-kind.ts';
import { fixedDrivers, validateCsiNodeSpec } from './validation.ts';

export const csiNodes: BuiltinKind = {
  group: 'storage.k8s.io',
  resource: 'csinodes',
  validation: { object: inSpec(validateCsiNodeSpec), update: fixedDrivers },
  strategy: {
    metaChecks: { asUpdate: 0, asWhole: 1, standardFinalizers: true },
    returnsDeleted: true,
  },
  cells: { Drivers: countCell('spec.drivers') },
};
