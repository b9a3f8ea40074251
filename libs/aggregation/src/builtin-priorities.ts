/**
 * The priority of an API group among groups, and of a version within its group. Higher priorities come first.
 */
export interface ApiServicePriority {
  groupPriorityMinimum: number;
  versionPriority: number;
}

// Values of kube-apiserver v1.36: pkg/controlplane/apiserver/aggregator.go and
// cmd/kube-apiserver/app/aggregator.go.
const table: Readonly<Record<string, readonly [group: number, version: number]>> = {
  '/v1': [18000, 1],
  'apps/v1': [17800, 15],
  'events.k8s.io/v1': [17750, 15],
  'authentication.k8s.io/v1': [17700, 15],
  'authorization.k8s.io/v1': [17600, 15],
  'autoscaling/v2': [17500, 30],
  'autoscaling/v1': [17500, 15],
  'batch/v1': [17400, 15],
  'certificates.k8s.io/v1': [17300, 15],
  'networking.k8s.io/v1': [17200, 15],
  'policy/v1': [17100, 15],
  'rbac.authorization.k8s.io/v1': [17000, 15],
  'storage.k8s.io/v1': [16800, 15],
  'apiextensions.k8s.io/v1': [16700, 15],
  'admissionregistration.k8s.io/v1': [16700, 15],
  'scheduling.k8s.io/v1': [16600, 15],
  'coordination.k8s.io/v1': [16500, 15],
  'node.k8s.io/v1': [16300, 15],
  'discovery.k8s.io/v1': [16200, 15],
  'resource.k8s.io/v1': [16200, 21],
  'flowcontrol.apiserver.k8s.io/v1': [16100, 21],
};

/**
 * Returns the priority of a built-in API version; `undefined` for versions that kube-apiserver does not
 * register.
 */
export function builtinPriority(group: string, version: string): ApiServicePriority | undefined {
  const known = table[`${group}/${version}`];
  return known && { groupPriorityMinimum: known[0], versionPriority: known[1] };
}

/** The priority of every version of every custom resource. */
export const customPriority: ApiServicePriority = { groupPriorityMinimum: 1000, versionPriority: 100 };

/** Returns the priority of a local API version. */
export const localPriority = (group: string, version: string): ApiServicePriority =>
  builtinPriority(group, version) ?? customPriority;
