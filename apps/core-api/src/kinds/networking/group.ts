import { ingressClasses } from './ingressclasses/kind.ts';
import { ingresses } from './ingresses/kind.ts';
import { ipAddresses } from './ipaddresses/kind.ts';
import { networkPolicies } from './networkpolicies/kind.ts';
import { serviceCidrs } from './servicecidrs/kind.ts';
import type { BuiltinKind } from '../builtin-kind.ts';

/** The kinds of `networking.k8s.io`. */
export const networkingGroup: readonly BuiltinKind[] = [
  ingressClasses,
  ingresses,
  ipAddresses,
  networkPolicies,
  serviceCidrs,
];
