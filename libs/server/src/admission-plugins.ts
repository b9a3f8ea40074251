import type { AdmissionPlugin } from './admission.ts';
import type { ServerDeps } from './app.ts';
import { namespaceLifecycle } from './namespace-lifecycle.ts';
import { resourceQuotaAdmission } from './quota/quota-admission.ts';
import { mutatingWebhooks } from './webhooks/mutating.ts';
import { validatingWebhooks } from './webhooks/validating.ts';

/** The built-in admission plugins, in the order of their execution: a quota is charged last, when nothing else refuses. */
export const admissionPlugins = (deps: ServerDeps): AdmissionPlugin[] => [
  namespaceLifecycle(deps),
  mutatingWebhooks(deps),
  validatingWebhooks(deps),
  resourceQuotaAdmission(deps),
];
