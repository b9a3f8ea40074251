import { countCell } from '../../shared/cells.ts';
import type { BuiltinKind } from '../../builtin-kind.ts';
import { webhookFields, webhookPartDefaults } from '../shared/defaults.ts';
import { checkWebhookConfiguration } from '../shared/webhooks.ts';

export const validatingWebhookConfigurations: BuiltinKind = {
  group: 'admissionregistration.k8s.io',
  resource: 'validatingwebhookconfigurations',
  defaults: {
    ...webhookPartDefaults,
    'io.k8s.api.admissionregistration.v1.ValidatingWebhook': webhookFields,
  },
  validation: { content: checkWebhookConfiguration },
  strategy: {
    generation: true,
    metaChecks: { asUpdate: 0, asWhole: 1, standardFinalizers: false },
  },
  cells: { Webhooks: countCell('webhooks') },
};
