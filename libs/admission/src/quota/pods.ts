import { deepEqual, getOwn, isObject, Quantity, tableOf, validateQualifiedName } from '@annex/machinery';
import { matchesValue, type QuotaEvaluator, type ScopeRequirement } from './evaluator.ts';
import { type Container, isPodLevel, type Pod, podResources } from './pod-resources.ts';
import { type ResourceList, resourceList } from './resource-list.ts';

const count = 'count/pods';
/**
 * Amounts that every container must specify if a quota limits them; an early inconsistency of Kubernetes that
 * clients rely on.
 */
const requested = new Set([
  'cpu',
  'memory',
  'requests.cpu',
  'requests.memory',
  'limits.cpu',
  'limits.memory',
]);
const common = ['cpu', 'memory', 'ephemeral-storage'];
const names = new Set([
  count,
  'pods',
  ...common.flatMap((name) => [name, `requests.${name}`, `limits.${name}`]),
]);

/** Counts Pods, and sums the requests and limits of those that are not finished. */
export const pods: QuotaEvaluator = {
  group: '',
  resource: 'pods',
  handles({ operation, subresource, object, oldObject }) {
    if (subresource === 'resize') return operation === 'UPDATE';
    if (subresource !== '') return false;
    return operation === 'CREATE' || (oldObject !== undefined && isEnding(object) !== isEnding(oldObject));
  },
  measures: (name) =>
    names.has(name) ||
    name.startsWith('hugepages-') ||
    name.startsWith('requests.hugepages-') ||
    isExtendedRequest(name),
  usage(pod: Pod, now) {
    const one = new Map([[count, Quantity.of(1)]]);
    if (!isCharged(pod, now)) return one;
    return new Map([...one, ...computeUsage(podResources(pod, 'requests'), podResources(pod, 'limits'))]);
  },
  inScope: (pod: Pod, requirement) => scopes.get(requirement.scopeName)?.(pod, requirement) ?? false,
  missing: (pod: Pod, required) => missing(pod, required),
  frees: (pod: Pod, previous: Pod, now) =>
    isEnding(pod) !== isEnding(previous) ||
    (isCharged(previous, now) && !isCharged(pod, now)) ||
    wasResized(pod, previous),
};

function wasResized({ status }: Pod, previous: Pod): boolean {
  const before = new Map((previous.status?.containerStatuses ?? []).map((one) => [one.name, one.resources]));
  return (status?.containerStatuses ?? []).some(
    ({ name, resources }) => before.has(name) && !deepEqual(before.get(name) ?? null, resources ?? null),
  );
}

/** A Pod that has finished, or whose deletion is overdue, has no usage. */
function isCharged({ metadata, status }: Pod, now: number): boolean {
  if (status?.phase === 'Failed' || status?.phase === 'Succeeded') return false;
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadata;
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds === undefined) return true;
  return now <= Date.parse(deletionTimestamp) + Number(deletionGracePeriodSeconds) * 1000;
}

function computeUsage(requests: ResourceList, limits: ResourceList): Map<string, Quantity> {
  const used = new Map([['pods', Quantity.of(1)]]);
  for (const [name, amount] of requests) {
    const isCommon = common.includes(name) || name.startsWith('hugepages-');
    if (isCommon) used.set(name, amount);
    if (isCommon || isExtended(name)) used.set(`requests.${name}`, amount);
  }
  for (const name of common) {
    const limit = limits.get(name);
    if (limit !== undefined) used.set(`limits.${name}`, limit);
  }
  return used;
}

const isNative = (name: string): boolean => !name.includes('/') || name.includes('kubernetes.io/');
const devices = 'deviceclass.resource.kubernetes.io/';

const isExtended = (name: string): boolean =>
  name.startsWith(devices) ||
  (!isNative(name) &&
    !name.startsWith('requests.') &&
    validateQualifiedName(`requests.${name}`).length === 0);

const isExtendedRequest = (name: string): boolean =>
  name.startsWith('requests.') && (!isNative(name) || name.startsWith(`requests.${devices}`));

/** Returns whether the Pod has a deadline. */
const isEnding = ({ spec }: Pod): boolean => (spec?.activeDeadlineSeconds ?? -1) >= 0;

const scopes = tableOf<(pod: Pod, requirement: ScopeRequirement) => boolean>({
  Terminating: isEnding,
  NotTerminating: (pod) => !isEnding(pod),
  BestEffort: ({ status }) => status?.qosClass === 'BestEffort',
  NotBestEffort: ({ status }) => status?.qosClass !== 'BestEffort',
  PriorityClass: ({ spec }, requirement) => matchesValue(requirement, spec?.priorityClassName || undefined),
  CrossNamespacePodAffinity: ({ spec }) => namesNamespaces(spec?.affinity),
});

/** Returns whether a term of the affinity to other Pods names namespaces. */
function namesNamespaces(affinity: unknown): boolean {
  const child = (value: unknown, name: string) => (isObject(value) ? getOwn(value, name) : undefined);
  return ['podAffinity', 'podAntiAffinity'].some((side) => {
    const required = child(child(affinity, side), 'requiredDuringSchedulingIgnoredDuringExecution');
    const preferred = child(child(affinity, side), 'preferredDuringSchedulingIgnoredDuringExecution');
    const terms = [
      ...(Array.isArray(required) ? required : []),
      ...(Array.isArray(preferred) ? preferred.map((one) => child(one, 'podAffinityTerm')) : []),
    ];
    return terms.some(
      (term) =>
        child(term, 'namespaceSelector') !== undefined ||
        ((child(term, 'namespaces') ?? []) as unknown[]).length > 0,
    );
  });
}

function missing({ spec }: Pod, required: readonly string[]): string | undefined {
  const { containers = [], initContainers = [], resources } = spec ?? {};
  const podLevel = [resources?.requests, resources?.limits].flatMap((one) => Object.keys(one ?? {}));
  if (podLevel.some(isPodLevel)) return undefined;
  const all = [...containers, ...initContainers].map(
    (one) => [one.name ?? '', specifiedAmounts(one)] as const,
  );
  const lacking = required
    .filter((name) => requested.has(name))
    .map((name) => {
      const without = all.filter(([, resources]) => !resources.has(name)).map(([container]) => container);
      return [name, [...new Set(without)].sort()] as const;
    })
    .filter(([, without]) => without.length > 0)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  if (lacking.length === 0) return undefined;
  return `must specify ${lacking.map(([name, without]) => `${name} for: ${without.join(',')}`).join('; ')}`;
}

const specifiedAmounts = ({ resources }: Container): ReadonlySet<string> =>
  new Set(computeUsage(resourceList(resources?.requests), resourceList(resources?.limits)).keys());
