import { createMetrics } from '@annex/runtime';
import type { Pod, ResourceRequirements } from '../objects/pod.ts';
import type { PodInfo } from '../objects/pod-info.ts';
import { addAll, type Amounts, amountsOf, podRequests } from '../objects/resources.ts';

/** The path of the requests and limits of all Pods. */
export const podResourcesPath = '/metrics/resources';

const labels = ['namespace', 'node', 'pod', 'priority', 'resource', 'scheduler', 'unit'] as const;

/** Renders what Pods request and what limits they have, as kube-scheduler does. */
export async function renderPodResources(
  pods: Iterable<PodInfo>,
): Promise<{ body: string; contentType: string }> {
  const metrics = createMetrics();
  const about = (what: string): string =>
    `[STABLE] Resources ${what} workloads on the cluster, broken down by pod. This shows the resource usage the scheduler and kubelet expect per pod for resources along with the unit for the resource if any.`;
  const limit = metrics.gauge('kube_pod_resource_limit', about('limit for'), labels);
  const request = metrics.gauge('kube_pod_resource_request', about('requested by'), labels);
  for (const { pod } of pods) {
    if (hasEnded(pod)) continue;
    // As in kube-scheduler, without sizes that are being changed.
    const { status: _status, ...unsized } = pod;
    for (const [gauge, amounts] of [
      [request, podRequests(unsized).requests],
      [limit, limitsOf(unsized)],
    ] as const)
      for (const [resource, amount] of amounts)
        if (amount !== 0) gauge.set(labelsOf(pod, resource), resource === 'cpu' ? amount / 1000 : amount);
  }
  const body = (await metrics.render())
    .split('\n')
    .filter((line) => line.includes('kube_pod_resource_'))
    .join('\n');
  // A metric without values is not shown.
  return { body: body.includes('{') ? `${body}\n` : '', contentType: metrics.contentType };
}

const hasEnded = ({ spec, status }: Pod): boolean =>
  (spec.nodeName ?? '') !== '' && (status?.phase === 'Succeeded' || status?.phase === 'Failed');

const labelsOf = ({ metadata, spec }: Pod, resource: string) => ({
  namespace: metadata.namespace ?? '',
  pod: metadata.name ?? '',
  node: spec.nodeName ?? '',
  scheduler: spec.schedulerName ?? '',
  priority: spec.priority === undefined ? '' : String(spec.priority),
  resource,
  unit: unitOf(resource),
});

function unitOf(resource: string): string {
  if (resource === 'cpu') return 'cores';
  if (['memory', 'storage', 'ephemeral-storage'].includes(resource)) return 'bytes';
  if (resource.startsWith('hugepages-')) return 'bytes';
  return resource.startsWith('attachable-volumes-') ? 'integer' : '';
}

/** The overhead raises limits that exist. */
function limitsOf({ metadata, spec }: Pod): Amounts {
  const { overhead, resources, ...others } = spec;
  const asRequests = (sent: ResourceRequirements | undefined): ResourceRequirements => ({
    ...(sent?.limits && { requests: sent.limits }),
  });
  const limited = podRequests({
    metadata,
    spec: {
      ...others,
      ...(resources && { resources: asRequests(resources) }),
      containers: spec.containers.map((one) => ({ ...one, resources: asRequests(one.resources) })),
      initContainers: (spec.initContainers ?? []).map((one) => ({
        ...one,
        resources: asRequests(one.resources),
      })),
    },
  }).requests;
  const more = [...amountsOf(overhead)].filter(([name]) => (limited.get(name) ?? 0) !== 0);
  addAll(limited, new Map(more));
  return limited;
}
