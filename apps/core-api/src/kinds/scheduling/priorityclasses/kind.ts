import { boolCell, numberCell, textCell } from '../../shared/cells.ts';
import type { BuiltinKind } from '../../builtin-kind.ts';
import { validatePriorityClass, validatePriorityClassUpdate } from './validation.ts';

export const priorityClasses: BuiltinKind = {
  group: 'scheduling.k8s.io',
  resource: 'priorityclasses',
  defaults: { 'io.k8s.api.scheduling.v1.PriorityClass': { preemptionPolicy: 'PreemptLowerPriority' } },
  validation: {
    create: validatePriorityClass,
    update: validatePriorityClassUpdate,
  },
  strategy: {
    allowUnconditionalUpdate: true,
    generation: 'fixed',
    metaChecks: { asUpdate: 1, asWhole: 0, standardFinalizers: true },
  },
  cells: {
    Value: numberCell('value'),
    'Global-Default': boolCell('globalDefault'),
    PreemptionPolicy: textCell('preemptionPolicy'),
  },
};
