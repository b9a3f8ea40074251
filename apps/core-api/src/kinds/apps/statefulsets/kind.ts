import { nameIsDnsLabel } from '@annex/machinery';
import { templateWarnings } from '../../shared/pod-spec/warnings.ts';
import { templateColumns } from '../../shared/cells.ts';
import { childOf } from '../../shared/checks.ts';
import { gatedFields } from '../../shared/gated-fields.ts';
import { scale } from '../../shared/scale.ts';
import { about, both, root, type Warnings } from '../../shared/warnings.ts';
import { statefulSetStatus } from '../../shared/status-numbers.ts';
import type { BuiltinKind } from '../../builtin-kind.ts';
import { readyCell } from '../shared/columns.ts';
import { statefulSetDefaults } from './defaults.ts';
import { validateStatefulSet, validateStatefulSetUpdate } from './validation.ts';

const unlimitedHistory: Warnings = (statefulSet) =>
  Number(childOf(statefulSet, 'spec').revisionHistoryLimit ?? 0) < 0
    ? [
        about(
          root.child('spec', 'revisionHistoryLimit'),
          'a negative value retains all historical revisions; a value >= 0 is recommended',
        ),
      ]
    : [];

export const statefulSets: BuiltinKind = {
  group: 'apps',
  resource: 'statefulsets',
  defaults: statefulSetDefaults,
  validation: {
    create: validateStatefulSet,
    update: validateStatefulSetUpdate,
  },
  strategy: {
    ...gatedFields('spec.updateStrategy.rollingUpdate.maxUnavailable'),
    allowUnconditionalUpdate: true,
    generation: true,
    validateName: nameIsDnsLabel,
    metaChecks: { asUpdate: 1, asWhole: 0, standardFinalizers: true },
  },
  warnings: both(templateWarnings('spec', 'template'), unlimitedHistory),
  cells: { Ready: readyCell, ...templateColumns('spec.template') },
  subresources: { scale, status: statefulSetStatus },
};
