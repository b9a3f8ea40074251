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
