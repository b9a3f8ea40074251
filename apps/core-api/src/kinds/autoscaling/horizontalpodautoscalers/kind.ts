import { inSpec } from '../../shared/checks.ts';
import { statusNumbers } from '../../shared/status-numbers.ts';
import type { BuiltinKind } from '../../builtin-kind.ts';
import { autoscalerColumns } from './columns.ts';
import { autoscalerDefaults } from './defaults.ts';
import { validateAutoscaler, validateChangedVersion, validateScaledVersion } from './validation.ts';

/** HorizontalPodAutoscalers, in both versions. */
export const horizontalPodAutoscalers: BuiltinKind = {
  group: 'autoscaling',
  resource: 'horizontalpodautoscalers',
  defaults: autoscalerDefaults,
  validation: {
    object: inSpec(validateAutoscaler),
    create: validateScaledVersion,
    update: validateChangedVersion,
  },
  strategy: {
    allowUnconditionalUpdate: true,
    metaChecks: { asUpdate: 1, asWhole: 0, standardFinalizers: true },
  },
  cells: autoscalerColumns,
  subresources: { status: statusNumbers({ nonNegative: ['currentReplicas', 'desiredReplicas'] }) },
};
