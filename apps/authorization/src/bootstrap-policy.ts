import { readFile } from 'node:fs/promises';
import { rbacGroup } from '@annex/auth';
import type { KubeObject } from '@annex/machinery';

/** A role or binding that every server has. */
export interface PolicyObject {
  resource: PolicyResource;
  object: KubeObject;
}

export type PolicyResource = keyof typeof kinds;

const kinds = {
  clusterroles: 'ClusterRole',
  clusterrolebindings: 'ClusterRoleBinding',
  roles: 'Role',
  rolebindings: 'RoleBinding',
} as const;

/** Returns the roles and bindings that kube-apiserver creates at start, and those of fake nodes. */
export async function bootstrapPolicy(): Promise<PolicyObject[]> {
  const files = [
    new URL('../data/bootstrap-rbac.json', import.meta.url),
    new URL('../data/fake-nodes-rbac.json', import.meta.url),
  ];
  return (await Promise.all(files.map(readPolicy))).flat();
}

async function readPolicy(file: URL): Promise<PolicyObject[]> {
  const lists = JSON.parse(await readFile(file, 'utf8')) as Record<PolicyResource, KubeObject[]>;
  return (Object.keys(kinds) as PolicyResource[]).flatMap((resource) =>
    lists[resource].map((object) => ({
      resource,
      object: { kind: kinds[resource], apiVersion: `${rbacGroup}/v1`, ...object },
    })),
  );
}
