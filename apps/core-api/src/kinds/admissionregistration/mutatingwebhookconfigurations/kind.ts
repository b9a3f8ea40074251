import { countCell } from '../../shared/cells.ts';
import type { BuiltinKind } from '../../builtin-kind.ts';
import { webhookFields, webhookPartDefaults } from '../shared/defaults.ts';
import { checkWebhookConfiguration } from '../shared/webhooks.ts';

export const mutatingWebhookConfigurations: BuiltinKind = {
  group: 'admissionregistration.k8s.io',
  resource: 'mutatingwebhookconfigurations',
  defaults: {
    ...webhookPartDefaults,
    'io.k8s.api.admissionregistration.v1.MutatingWebhook': { ...webhookFields, reinvocationPolicy: 'Never' },
  },
  validation: { content: checkWebhookConfiguration },
  strategy: {
    generation: true,
    metaChecks: { asUpdate: 0, asWhole: 1, standardFinalizers: false },
  },
  cells: { Webhooks: countCell('webhooks') },
};
