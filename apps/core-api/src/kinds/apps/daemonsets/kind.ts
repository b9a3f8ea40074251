import { templateWarnings } from '../../shared/pod-spec/warnings.ts';
import { at, labelsText, numberCell, templateColumns } from '../../shared/cells.ts';
import { immutable } from '../../shared/immutable-fields.ts';
import { daemonSetStatus } from '../../shared/status-numbers.ts';
import type { BuiltinKind } from '../../builtin-kind.ts';
import { selectorCell } from '../shared/columns.ts';
import { daemonSetDefaults } from './defaults.ts';
import { daemonSetStrategy, keepsGeneration } from './strategy.ts';
import { validateDaemonSet } from './validation.ts';

export const daemonSets: BuiltinKind = {
  group: 'apps',
  resource: 'daemonsets',
  defaults: daemonSetDefaults,
  validation: { object: validateDaemonSet, update: immutable('spec.selector'), changesFirst: true },
  strategy: daemonSetStrategy,
  subresources: { status: { ...keepsGeneration, ...daemonSetStatus } },
  warnings: templateWarnings('spec', 'template'),
  cells: {
    Desired: numberCell('status.desiredNumberScheduled'),
    Current: numberCell('status.currentNumberScheduled'),
    Ready: numberCell('status.numberReady'),
    'Up-to-date': numberCell('status.updatedNumberScheduled'),
    Available: numberCell('status.numberAvailable'),
    'Node Selector': (daemonSet) => labelsText(at(daemonSet, 'spec.template.spec.nodeSelector')),
    ...templateColumns('spec.template', selectorCell),
  },
};
