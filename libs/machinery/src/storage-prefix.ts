import { tableOf } from './table.ts';

/** The API groups of built-in kinds whose keys do not contain the group, as in kube-apiserver. */
const groupsWithoutKey: ReadonlySet<string> = new Set([
  '',
  'admissionregistration.k8s.io',
  'apps',
  'autoscaling',
  'batch',
  'certificates.k8s.io',
  'coordination.k8s.io',
  'discovery.k8s.io',
  'events.k8s.io',
  'flowcontrol.apiserver.k8s.io',
  'internal.apiserver.k8s.io',
  'networking.k8s.io',
  'node.k8s.io',
  'policy',
  'rbac.authorization.k8s.io',
  'resource.k8s.io',
  'scheduling.k8s.io',
  'storage.k8s.io',
  'storagemigration.k8s.io',
]);

/** Resources that kube-apiserver stores under another name: `SpecialDefaultResourcePrefixes` of its storage factory. */
const storedNames = tableOf({
  endpoints: 'services/endpoints',
  ingresses: 'ingress',
  nodes: 'minions',
  replicationcontrollers: 'controllers',
  services: 'services/specs',
});

/**
 * Returns the prefix of the keys of a built-in resource, as kube-apiserver writes them: `/registry/deployments/`. Only APIServices
 * and CustomResourceDefinitions have their group in their keys, as custom resources do.
 */
export function builtinStoragePrefix(group: string, resource: string): string {
  if (!groupsWithoutKey.has(group)) return `/registry/${group}/${resource}/`;
  return `/registry/${storedNames.get(resource) ?? resource}/`;
}
