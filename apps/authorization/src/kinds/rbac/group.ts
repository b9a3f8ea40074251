import type { ExtendedKind } from '@annex/kinds';
import { clusterRoleBindings, roleBindings } from './bindings.ts';
import type { EscalationDeps } from './escalation.ts';
import { clusterRoles, roles } from './roles.ts';

/** Returns the kinds of `rbac.authorization.k8s.io`. */
export const rbacKinds = (deps: EscalationDeps): readonly ExtendedKind[] => [
  clusterRoleBindings(deps),
  clusterRoles(deps),
  roleBindings(deps),
  roles(deps),
];
