import { webhookConfiguration } from '../kinds/admissionregistration/shared/webhooks.ts';
import {
  mutatingBinding,
  mutatingPolicy,
  validatingBinding,
  validatingPolicy,
} from '../kinds/admissionregistration/shared/policies.ts';
import type { Checks } from '../kinds/builtin-kind.ts';

const group = 'admissionregistration.k8s.io';

/** The checks of the kinds that configure admission. */
export const admissionKinds: Readonly<Record<string, Checks>> = {
  [`${group}/mutatingadmissionpolicies`]: { object: mutatingPolicy },
  [`${group}/mutatingadmissionpolicybindings`]: { object: mutatingBinding },
  [`${group}/mutatingwebhookconfigurations`]: { object: webhookConfiguration },
  [`${group}/validatingadmissionpolicies`]: { object: validatingPolicy },
  [`${group}/validatingadmissionpolicybindings`]: { object: validatingBinding },
  [`${group}/validatingwebhookconfigurations`]: { object: webhookConfiguration },
};
