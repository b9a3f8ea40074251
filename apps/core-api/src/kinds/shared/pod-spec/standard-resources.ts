import { validateQualifiedName } from '@annex/machinery';

/** Resources that are numbers of objects. */
export const countedResources = [
  ...['pods', 'resourcequotas', 'services', 'replicationcontrollers', 'secrets', 'configmaps'],
  ...['persistentvolumeclaims', 'services.nodeports', 'services.loadbalancers'],
];

const standardNames = new Set([
  ...['cpu', 'memory', 'ephemeral-storage', 'storage'],
  ...['requests.cpu', 'requests.memory', 'requests.ephemeral-storage', 'requests.storage'],
  ...['limits.cpu', 'limits.memory', 'limits.ephemeral-storage'],
  ...countedResources,
]);

/** Returns whether a name without a domain is that of a resource, also of those that quotas count. */
export const isStandardResource = (name: string): boolean =>
  standardNames.has(name) || /^(requests\.)?hugepages-/.test(name);

/** Returns whether a resource is one of Kubernetes: without a domain, or of that of Kubernetes. */
export const isNativeResource = (name: string): boolean =>
  !name.includes('/') || name.includes('kubernetes.io/');

/** Returns whether a name is one of a resource of another domain, which quotas can count. */
export const isExtendedResource = (name: string): boolean =>
  !isNativeResource(name) &&
  !name.startsWith('requests.') &&
  validateQualifiedName(`requests.${name}`).length === 0;
