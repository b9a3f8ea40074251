import { nameIsDnsLabel } from '@annex/machinery';
import { templateWarnings } from '../../shared/pod-spec/warnings.ts';
import { templateColumns } from '../../shared/cells.ts';
import { gatedFields } from '../../shared/gated-fields.ts';
import { scale } from '../../shared/scale.ts';
import { statefulSetStatus } from '../../shared/status-numbers.ts';
import type { BuiltinKind } from '../../builtin-kind.ts';
import { readyCell } from '../shared/columns.ts';
import { statefulSetDefaults } from './defaults.ts';
import { validateStatefulSet, validateStatefulSetUpdate } from './validation.ts';

export const statefulSets: BuiltinKind = {
  group: 'apps',
  resource: 'statefulsets',
  defaults: statefulSetDefaults,
  validation: { object: validateStatefulSet, update: validateStatefulSetUpdate },
  strategy: {
    ...gatedFields('spec.updateStrategy.rollingUpdate.maxUnavailable'),
    allowUnconditionalUpdate: true,
    generation: true,
    validateName: nameIsDnsLabel,
    metaChecks: { asUpdate: 1, asWhole: 0, standardFinalizers: true },
  },
  warnings: templateWarnings('spec', 'template'),
  cells: { Ready: readyCell, ...templateColumns('spec.template') },
  subresources: { scale, status: statefulSetStatus },
};
