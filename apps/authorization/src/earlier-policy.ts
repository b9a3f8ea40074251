import type { RbacBinding, RbacRole } from '@annex/auth';
import type { KubeObject } from '@annex/machinery';
import type { PolicyObject, PolicyResource } from './bootstrap-policy.ts';

type Read = (resource: PolicyResource, name: string) => KubeObject | undefined;

/**
 * Carries policy of earlier Kubernetes versions over to the current names. Roles without aggregation become the roles that are aggregated
 * now; subjects that could discover the API may read the public information.
 */
export function earlierPolicy(read: Read, policy: readonly PolicyObject[]): PolicyObject[] {
  return [
    ...['admin', 'edit', 'view'].flatMap((name) => earlierRole(read, name)),
    ...splitBinding(read, policy),
  ];
}

function earlierRole(read: Read, name: string): PolicyObject[] {
  const today = `system:aggregate-to-${name}`;
  const role = read('clusterroles', name);
  if (role === undefined || read('clusterroles', today) !== undefined) return [];
  if ((role as RbacRole).aggregationRule) return [];
  return [{ resource: 'clusterroles', object: named(role, today) }];
}

const viewer = 'system:public-info-viewer';

function splitBinding(read: Read, policy: readonly PolicyObject[]): PolicyObject[] {
  const resource = 'clusterrolebindings';
  const source = read(resource, 'system:discovery') as RbacBinding | undefined;
  const target = policy.find((one) => one.resource === resource && one.object.metadata.name === viewer);
  if (source === undefined || target === undefined || read(resource, viewer) !== undefined) return [];
  const { labels, annotations } = source.metadata;
  const metadata = { name: viewer, ...(labels ? { labels } : {}), ...(annotations ? { annotations } : {}) };
  return [
    { resource, object: { ...target.object, metadata, subjects: source.subjects ?? null } as KubeObject },
  ];
}

function named(role: KubeObject, name: string): KubeObject {
  const { labels, annotations } = role.metadata;
  const metadata = { name, ...(labels ? { labels } : {}), ...(annotations ? { annotations } : {}) };
  return { ...role, metadata };
}
