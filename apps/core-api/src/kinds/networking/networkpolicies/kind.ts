import { at, selectorText } from '../../shared/cells.ts';
import { inSpec } from '../../shared/checks.ts';
import type { BuiltinKind } from '../../builtin-kind.ts';
import { networkPolicySpecDefaults } from './defaults.ts';
import { validateNetworkPolicySpec } from './validation.ts';

export const networkPolicies: BuiltinKind = {
  group: 'networking.k8s.io',
  resource: 'networkpolicies',
  defaults: {
    'io.k8s.api.networking.v1.NetworkPolicySpec': networkPolicySpecDefaults,
    'io.k8s.api.networking.v1.NetworkPolicyPort': { protocol: 'TCP' },
  },
  validation: { object: inSpec(validateNetworkPolicySpec) },
  strategy: {
    allowUnconditionalUpdate: true,
    generation: true,
    metaChecks: { asUpdate: 1, asWhole: 0, standardFinalizers: true },
  },
  cells: { 'Pod-Selector': (policy) => selectorText(at(policy, 'spec.podSelector')) },
};
