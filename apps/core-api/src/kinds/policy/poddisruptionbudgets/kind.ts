import { statusEndpoint } from '@annex/kinds';
import { FieldPath, nameIsPathSegment } from '@annex/machinery';
import { numberCell, textCell } from '../../shared/cells.ts';
import { childOf, inSpec } from '../../shared/checks.ts';
import { conditions } from '../../shared/conditions.ts';
import { statusNumbers } from '../../shared/status-numbers.ts';
import type { BuiltinKind } from '../../builtin-kind.ts';
import { validateDisruptionBudget } from './validation.ts';

const numbers = statusNumbers({
  nonNegative: ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'],
});

export const podDisruptionBudgets: BuiltinKind = {
  group: 'policy',
  resource: 'poddisruptionbudgets',
  validation: { object: inSpec(validateDisruptionBudget) },
  strategy: {
    generation: true,
    validateName: nameIsPathSegment,
    metadataLast: true,
    metaChecks: { asUpdate: 0, asWhole: 0, standardFinalizers: false },
  },
  cells: {
    'Min Available': textCell('spec.minAvailable', 'N/A'),
    'Max Unavailable': textCell('spec.maxUnavailable', 'N/A'),
    'Allowed Disruptions': numberCell('status.disruptionsAllowed'),
  },
  subresources: {
    status: {
      ...statusEndpoint({ metaChecks: { asUpdate: 0, asWhole: 0, standardFinalizers: false } }),
      validate: (updated, parent) => [
        ...conditions(childOf(updated, 'status').conditions, FieldPath.of('status').child('conditions')),
        ...numbers.validate(updated, parent),
      ],
    },
  },
};
