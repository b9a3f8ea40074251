import type { Default } from '@annex/kinds';

/** A policy applies to egress only if it has egress rules. */
export const networkPolicySpecDefaults: Default = (spec) => {
  if (Array.isArray(spec.policyTypes) && spec.policyTypes.length > 0) return;
  const hasEgress = Array.isArray(spec.egress) && spec.egress.length > 0;
  spec.policyTypes = hasEgress ? ['Ingress', 'Egress'] : ['Ingress'];
};
