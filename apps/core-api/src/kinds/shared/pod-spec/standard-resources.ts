const standardNames = new Set([
  ...[
    'cpu',
    'memory',
    'ephemeral-storage',
    'storage',
    'pods',
    'resourcequotas',
    'services',
    'secrets',
    'configmaps',
  ],
  ...['requests.cpu', 'requests.memory', 'requests.ephemeral-storage', 'requests.storage'],
  ...['limits.cpu', 'limits.memory', 'limits.ephemeral-storage'],
  ...['replicationcontrollers', 'persistentvolumeclaims', 'services.nodeports', 'services.loadbalancers'],
]);

/** Returns whether a name without a domain is that of a resource, also of those that quotas count. */
export const isStandardResource = (name: string): boolean =>
  standardNames.has(name) || /^(requests\.)?hugepages-/.test(name);
