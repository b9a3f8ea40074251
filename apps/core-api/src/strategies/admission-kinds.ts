import type { KindExtension } from '@annex/server';
import {
  mutatingBinding,
  mutatingPolicy,
  validatingBinding,
  validatingPolicy,
  webhookConfiguration,
} from '../validation/admission.ts';
import type { Checks } from './checked.ts';

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

const without = (what: string): KindExtension => ({
  strategy: {
    warnings: () => [
      `this server stores ${what} and does not ${what === 'webhooks' ? 'call' : 'evaluate'} them yet`,
    ],
  },
});

/** Says of every configuration of admission that it has no effect, so that nobody relies on it. */
export const admissionExtensions: Readonly<Record<string, KindExtension>> = {
  [`${group}/mutatingadmissionpolicies`]: without('admission policies'),
  [`${group}/mutatingadmissionpolicybindings`]: without('admission policies'),
  [`${group}/mutatingwebhookconfigurations`]: without('webhooks'),
  [`${group}/validatingadmissionpolicies`]: without('admission policies'),
  [`${group}/validatingadmissionpolicybindings`]: without('admission policies'),
  [`${group}/validatingwebhookconfigurations`]: without('webhooks'),
};
