import type { KubeObject, LabelSelectorObject } from '@annex/machinery';

/** `rules[]` of a Role or ClusterRole. */
export interface PolicyRule {
  verbs?: readonly string[];
  apiGroups?: readonly string[];
  resources?: readonly string[];
  resourceNames?: readonly string[];
  nonResourceURLs?: readonly string[];
}

/** `roleRef` of a binding. */
export interface RoleRef {
  apiGroup: string;
  kind: string;
  name: string;
}

/** Says that a reference leads to no role, in the words of kube's authorizer. */
export const danglingText = ({ kind, name }: RoleRef): string =>
  kind === 'Role' || kind === 'ClusterRole'
    ? `${kind.toLowerCase()}.${rbacGroup} "${name}" not found`
    : `unsupported role reference kind: "${kind}"`;

/** `subjects[]` of a binding. */
export interface RbacSubject {
  kind: string;
  name: string;
  namespace?: string;
  apiGroup?: string;
}

/** A Role or ClusterRole. */
export interface RbacRole extends KubeObject {
  rules?: PolicyRule[] | null;
  /** ClusterRoles only: whose rules it takes over. */
  aggregationRule?: { clusterRoleSelectors?: LabelSelectorObject[] | null } | null;
}

/** A RoleBinding or ClusterRoleBinding. */
export interface RbacBinding extends KubeObject {
  roleRef: RoleRef;
  subjects?: RbacSubject[] | null;
}

export const rbacGroup = 'rbac.authorization.k8s.io';

/** Where the four kinds are stored. */
export const rbacPrefixes = {
  roles: `/registry/${rbacGroup}/roles/`,
  clusterRoles: `/registry/${rbacGroup}/clusterroles/`,
  roleBindings: `/registry/${rbacGroup}/rolebindings/`,
  clusterRoleBindings: `/registry/${rbacGroup}/clusterrolebindings/`,
} as const;
