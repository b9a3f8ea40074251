import type { AdmissionAttributes } from '@annex/server';

const configurations = new Set([
  'mutatingadmissionpolicies',
  'mutatingadmissionpolicybindings',
  'mutatingwebhookconfigurations',
  'validatingadmissionpolicies',
  'validatingadmissionpolicybindings',
  'validatingwebhookconfigurations',
]);

/** What configures admission is never subject to it: a mistake there could not be mended. */
export const isExempt = ({ kind }: Pick<AdmissionAttributes, 'kind'>): boolean =>
  kind.group === 'admissionregistration.k8s.io' && configurations.has(kind.resource);
