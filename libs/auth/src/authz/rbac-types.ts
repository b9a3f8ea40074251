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

/** Reports a roleRef without a role, with the message of kube-apiserver's authorizer. */
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
  /** ClusterRoles only: selects the roles whose rules are aggregated. */
  aggregationRule?: { clusterRoleSelectors?: LabelSelectorObject[] | null } | null;
}

/** A RoleBinding or ClusterRoleBinding. */
export interface RbacBinding extends KubeObject {
  roleRef: RoleRef;
  subjects?: RbacSubject[] | null;
}

export const rbacGroup = 'rbac.authorization.k8s.io';

/** Store prefixes of the four kinds. */
export const rbacPrefixes = {
  roles: '/registry/roles/',
  clusterRoles: '/registry/clusterroles/',
  roleBindings: '/registry/rolebindings/',
  clusterRoleBindings: '/registry/clusterrolebindings/',
} as const;
