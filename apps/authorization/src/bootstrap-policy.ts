import { readFile } from 'node:fs/promises';
import { rbacGroup } from '@annex/auth';
import type { KubeObject } from '@annex/machinery';

/** A role or binding that every server has, and where it is stored. */
export interface PolicyObject {
  key: string;
  object: KubeObject;
}

const kinds = {
  clusterroles: 'ClusterRole',
  clusterrolebindings: 'ClusterRoleBinding',
  roles: 'Role',
  rolebindings: 'RoleBinding',
} as const;

/** The roles and bindings that kube-apiserver makes when it starts. */
export async function bootstrapPolicy(): Promise<PolicyObject[]> {
  const file = new URL('../data/bootstrap-rbac.json', import.meta.url);
  const lists = JSON.parse(await readFile(file, 'utf8')) as Record<keyof typeof kinds, KubeObject[]>;
  return Object.entries(kinds).flatMap(([resource, kind]) =>
    lists[resource as keyof typeof kinds].map((object) => ({
      key: policyKey(resource, object),
      object: { ...object, kind, apiVersion: `${rbacGroup}/v1` },
    })),
  );
}

function policyKey(resource: string, { metadata: { name = '', namespace } }: KubeObject): string {
  return `/registry/${rbacGroup}/${resource}/${namespace === undefined ? '' : `${namespace}/`}${name}`;
}
