import {
  compileLabelSelector,
  failure,
  isObject,
  type JsonObject,
  type KubeObject,
  type LabelSelectorObject,
  notFound,
  StatusError,
} from '@annex/machinery';
import type { RequestContext, ServerDeps } from '@annex/server';

const budgetPrefix = '/registry/policy/poddisruptionbudgets/';
const pods = { group: '', resource: 'pods' };

/** Deletes a pod unless a PodDisruptionBudget of its namespace does not allow it. */
export async function evict(
  deps: ServerDeps,
  eviction: KubeObject,
  pod: KubeObject | undefined,
  ctx: RequestContext,
): Promise<KubeObject> {
  const name = pod?.metadata.name ?? eviction.metadata.name ?? '';
  if (pod === undefined) throw notFound(pods, name);
  const budgets = await budgetsOf(deps, pod);
  if (budgets.length > 1) {
    throw failure(
      'InternalError',
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    );
  }
  const [budget] = budgets;
  if (budget !== undefined && isPending(pod) === false) refuseBeyondBudget(budget);
  const options = isObject(eviction.deleteOptions) ? eviction.deleteOptions : {};
  const dryRun =
    ctx.query.getAll('dryRun').includes('All') ||
    (Array.isArray(options.dryRun) && options.dryRun.includes('All'));
  if (!dryRun) await deps.store.delete(`/registry/pods/${pod.metadata.namespace}/${name}`);
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    code: 201,
  } as unknown as KubeObject;
}

const isPending = (pod: KubeObject) =>
  ['Pending', 'Succeeded', 'Failed'].includes(String((pod.status as JsonObject | undefined)?.phase));

async function budgetsOf(deps: ServerDeps, pod: KubeObject): Promise<KubeObject[]> {
  const cache = deps.feed.objects(budgetPrefix);
  await cache.waitFor();
  const { entries } = cache.list(`${budgetPrefix}${pod.metadata.namespace}/`);
  return entries
    .map(({ value }) => value.object)
    .filter((budget) => {
      const { selector } = (isObject(budget.spec) ? budget.spec : {}) as { selector?: LabelSelectorObject };
      return selector !== undefined && compileLabelSelector(selector).matches(pod.metadata.labels);
    });
}

function refuseBeyondBudget(budget: KubeObject): void {
  const status = (isObject(budget.status) ? budget.status : {}) as JsonObject;
  const allowed = Number(status.disruptionsAllowed ?? 0);
  if (allowed > 0) return;
  const healthy = `The disruption budget ${budget.metadata.name} needs ${Number(status.desiredHealthy ?? 0)} healthy pods and has ${Number(status.currentHealthy ?? 0)} currently`;
  throw new StatusError(
    failure('TooManyRequests', "Cannot evict pod as it would violate the pod's disruption budget.", {
      causes: [{ reason: 'DisruptionBudget', message: healthy }],
    }).status,
  );
}
