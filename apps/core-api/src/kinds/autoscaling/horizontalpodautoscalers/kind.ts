import { restoreAnnotations, statusEndpoint } from '@annex/kinds';
import { statusNumbers } from '../../shared/status-numbers.ts';
import type { BuiltinKind } from '../../builtin-kind.ts';
import { autoscalerColumns } from './columns.ts';
import { autoscalerDefaults } from './defaults.ts';
import { validateAutoscaler } from './validation.ts';

const { write: writeStatus } = statusEndpoint();

/** HorizontalPodAutoscalers, in both versions. Annotations of v1 contain parts of its spec and status. */
export const horizontalPodAutoscalers: BuiltinKind = {
  group: 'autoscaling',
  resource: 'horizontalpodautoscalers',
  defaults: autoscalerDefaults,
  validation: { content: validateAutoscaler },
  strategy: {
    allowUnconditionalUpdate: true,
    prepareForCreate: (autoscaler) => restoreAnnotations(autoscaler, undefined, 'status'),
    prepareForUpdate: (autoscaler, old) => restoreAnnotations(autoscaler, old, 'status'),
    metaChecks: { asUpdate: 1, asWhole: 0, standardFinalizers: true },
  },
  cells: autoscalerColumns,
  subresources: {
    status: {
      ...statusNumbers({ nonNegative: ['currentReplicas', 'desiredReplicas'] }),
      write(sent, parent) {
        const written = writeStatus(sent, parent);
        restoreAnnotations(written, parent, 'spec');
        return written;
      },
    },
  },
};
