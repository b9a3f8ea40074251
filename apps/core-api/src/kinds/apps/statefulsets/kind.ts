import { templateWarnings } from '../../shared/pod-spec/warnings.ts';
import { templateColumns } from '../../shared/cells.ts';
import { scale } from '../../shared/scale.ts';
import type { BuiltinKind } from '../../builtin-kind.ts';
import { readyCell } from '../shared/columns.ts';
import { statefulSetDefaults } from './defaults.ts';
import { validateStatefulSet, validateStatefulSetUpdate } from './validation.ts';

export const statefulSets: BuiltinKind = {
  group: 'apps',
  resource: 'statefulsets',
  defaults: statefulSetDefaults,
  validation: { object: validateStatefulSet, update: validateStatefulSetUpdate },
  warnings: templateWarnings('spec', 'template'),
  cells: { Ready: readyCell, ...templateColumns('spec.template') },
  subresources: { scale },
};
