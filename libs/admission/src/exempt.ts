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

/**
 * Returns whether the object configures admission. Such objects are exempt: otherwise a misconfiguration
 * could block its own repair.
 */
export const isExempt = ({ kind }: Pick<AdmissionAttributes, 'kind'>): boolean =>
  kind.group === 'admissionregistration.k8s.io' && configurations.has(kind.resource);
