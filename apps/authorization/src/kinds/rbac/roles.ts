import { rbacGroup } from '@annex/auth';
import type { ExtendedKind } from '@annex/kinds';
import type { KubeObject } from '@annex/machinery';
import { authorizeRole, type EscalationDeps } from './escalation.ts';
import { rbacStrategy } from './strategy.ts';
import { validateRole } from './validation.ts';

const role = (deps: EscalationDeps, resource: string, namespaced: boolean): ExtendedKind => {
  const validate = (object: KubeObject) => validateRole(object, namespaced);
  return {
    group: rbacGroup,
    resource,
    strategy: {
      ...rbacStrategy,
      authorize: authorizeRole(deps, resource),
      validateCreate: validate,
      validateUpdate: validate,
    },
  };
};

export const roles = (deps: EscalationDeps): ExtendedKind => role(deps, 'roles', true);

export const clusterRoles = (deps: EscalationDeps): ExtendedKind => role(deps, 'clusterroles', false);
