import { statusEndpoint } from '@annex/kinds';
import { namesPods, templateWarnings } from '../../shared/pod-spec/warnings.ts';
import { numberCell, templateColumns } from '../../shared/cells.ts';
import { immutable } from '../../shared/immutable-fields.ts';
import { scale } from '../../shared/scale.ts';
import { both } from '../../shared/warnings.ts';
import { deploymentStatus } from '../../shared/status-numbers.ts';
import type { BuiltinKind } from '../../builtin-kind.ts';
import { readyCell, selectorCell } from '../shared/columns.ts';
import { deploymentDefaults } from './defaults.ts';
import { validateDeployment } from './validation.ts';

export const deployments: BuiltinKind = {
  group: 'apps',
  resource: 'deployments',
  defaults: deploymentDefaults,
  validation: { object: validateDeployment, update: immutable('spec.selector') },
  strategy: {
    allowUnconditionalUpdate: true,
    generation: true,
    generationCounts: 'annotations',
    metaChecks: { asUpdate: 1, asWhole: 0, standardFinalizers: true },
  },
  warnings: both(namesPods, templateWarnings('spec', 'template')),
  cells: {
    Ready: readyCell,
    'Up-to-date': numberCell('status.updatedReplicas'),
    Available: numberCell('status.availableReplicas'),
    ...templateColumns('spec.template', selectorCell),
  },
  subresources: { scale, status: { ...statusEndpoint({ keeps: ['labels'] }), ...deploymentStatus } },
};
