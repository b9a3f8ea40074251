import { mutatingAdmissionPolicies } from './mutatingadmissionpolicies/kind.ts';
import { mutatingAdmissionPolicyBindings } from './mutatingadmissionpolicybindings/kind.ts';
import { mutatingWebhookConfigurations } from './mutatingwebhookconfigurations/kind.ts';
import { validatingAdmissionPolicies } from './validatingadmissionpolicies/kind.ts';
import { validatingAdmissionPolicyBindings } from './validatingadmissionpolicybindings/kind.ts';
import { validatingWebhookConfigurations } from './validatingwebhookconfigurations/kind.ts';
import type { BuiltinKind } from '../builtin-kind.ts';

/** The kinds of `admissionregistration.k8s.io`. */
export const admissionRegistrationGroup: readonly BuiltinKind[] = [
  mutatingAdmissionPolicies,
  mutatingAdmissionPolicyBindings,
  mutatingWebhookConfigurations,
  validatingAdmissionPolicies,
  validatingAdmissionPolicyBindings,
  validatingWebhookConfigurations,
];
