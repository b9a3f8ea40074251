import { textCell } from '../../shared/cells.ts';
import { fieldSelectors } from '../../shared/selectable-fields.ts';
import type { BuiltinKind } from '../../builtin-kind.ts';

export const resourceSlices: BuiltinKind = {
  group: 'resource.k8s.io',
  resource: 'resourceslices',
  strategy: {
    allowUnconditionalUpdate: true,
    generation: true,
    metaChecks: { asUpdate: 1, asWhole: 0, standardFinalizers: true },
    returnsDeleted: true,
  },
  cells: {
    Node: textCell('spec.nodeName'),
    Driver: textCell('spec.driver'),
    Pool: textCell('spec.pool.name'),
  },
  selectableFields: fieldSelectors('spec.nodeName', 'spec.driver'),
  unknownField: (name) => `field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: ${name}`,
};
