import type { AdmissionAttributes } from '@annex/server';

/** The resources of `admissionregistration.k8s.io` that configure admission. */
export const admissionConfigurations = [
  'mutatingadmissionpolicies',
  'mutatingadmissionpolicybindings',
  'mutatingwebhookconfigurations',
  'validatingadmissionpolicies',
  'validatingadmissionpolicybindings',
  'validatingwebhookconfigurations',
] as const;

const configurations: ReadonlySet<string> = new Set(admissionConfigurations);

/** Reports whether admission skips the object: an error in the configuration of admission could not be corrected otherwise. */
export const isExempt = ({ kind }: Pick<AdmissionAttributes, 'kind'>): boolean =>
  kind.group === 'admissionregistration.k8s.io' && configurations.has(kind.resource);
