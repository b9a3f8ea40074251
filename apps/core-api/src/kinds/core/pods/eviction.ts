import type { RequestContext } from '@annex/kinds';
import {
  badRequest,
  compileLabelSelector,
  conflict,
  deepCopy,
  failure,
  forbidden,
  formatTime,
  isObject,
  type JsonObject,
  type KubeObject,
  type LabelSelectorObject,
  notFound,
  objectModified,
  type Status,
} from '@annex/machinery';
import {
  beginTermination,
  checkedDeleteOptions,
  type DeleteOptions,
  encodeStored,
  type ServerDeps,
} from '@annex/server';
import { StoreError } from '@annex/storage';
import { podGracePeriod } from './grace-period.ts';

interface Budget extends KubeObject {
  spec?: { selector?: LabelSelectorObject; unhealthyPodEvictionPolicy?: string };
  status?: {
    observedGeneration?: number;
    disruptionsAllowed?: number;
    currentHealthy?: number;
    desiredHealthy?: number;
    disruptedPods?: Record<string, string>;
  };
}

const budgetPrefix = '/registry/poddisruptionbudgets/';
const pods = { group: '', resource: 'pods' };
const done: Status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };

/** Checks that an eviction names the pod of the URL. */
export function checkEviction({ metadata }: KubeObject, { info }: RequestContext): void {
  if (metadata.name !== info.name) throw badRequest('name in URL does not match name in Eviction object');
}

/** Deletes a pod unless a PodDisruptionBudget of its namespace does not allow it. */
export async function evict(
  deps: ServerDeps,
  eviction: KubeObject,
  pod: KubeObject | undefined,
  request: RequestContext,
): Promise<KubeObject> {
  const name = request.info.name;
  if (pod === undefined) throw notFound(pods, name);
  const options = checkedDeleteOptions((eviction.deleteOptions ?? {}) as JsonObject);
  options.dryRun ||= request.query.getAll('dryRun').includes('All');
  const budget = needsNoBudget(pod) ? undefined : await budgetOf(deps, pod);
  if (budget !== undefined && !mayIgnore(budget, pod)) await charge(deps, budget, name, options.dryRun);
  await terminate(deps, pod, options, request);
  return { ...done };
}

/** True for pods that do not run, or are being deleted: their eviction is no disruption. */
const needsNoBudget = ({ metadata, status }: KubeObject): boolean =>
  metadata.deletionTimestamp !== undefined ||
  ['Pending', 'Succeeded', 'Failed'].includes(String((status as JsonObject | undefined)?.phase));

async function budgetOf(deps: ServerDeps, pod: KubeObject): Promise<Budget | undefined> {
  const cache = deps.feed.objects(budgetPrefix);
  await cache.waitFor();
  const budgets = cache
    .list(`${budgetPrefix}${pod.metadata.namespace}/`)
    .entries.map(({ value }) => value.object as Budget)
    .filter(({ spec }) => spec?.selector && compileLabelSelector(spec.selector).matches(pod.metadata.labels));
  if (budgets.length > 1) {
    throw failure(
      'InternalError',
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    );
  }
  return budgets[0];
}

/** True if a pod that is not ready may be evicted without a disruption: the policy of the budget allows it, or the budget is met. */
function mayIgnore({ spec, status = {} }: Budget, pod: KubeObject): boolean {
  const { conditions } = (isObject(pod.status) ? pod.status : {}) as { conditions?: JsonObject[] };
  if (conditions?.some(({ type, status }) => type === 'Ready' && status === 'True')) return false;
  const { currentHealthy = 0, desiredHealthy = 0 } = status;
  if (spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow') return true;
  return currentHealthy >= desiredHealthy && desiredHealthy > 0;
}

/** Takes one disruption from the budget. */
async function charge(deps: ServerDeps, budget: Budget, pod: string, dryRun: boolean): Promise<void> {
  const { metadata, status = {} } = budget;
  const { disruptionsAllowed = 0, observedGeneration = 0 } = status;
  if (observedGeneration < Number(metadata.generation ?? 0)) {
    throw tooSoon(`The disruption budget ${metadata.name} is still being processed by the server.`, 10);
  }
  if (disruptionsAllowed < 0) {
    const budgets = { group: 'policy', resource: 'poddisruptionbudget' };
    throw forbidden(budgets, metadata.name ?? '', 'pdb disruptions allowed is negative');
  }
  if (disruptionsAllowed === 0) {
    const { desiredHealthy = 0, currentHealthy = 0 } = status;
    const text = `needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`;
    throw tooSoon(`The disruption budget ${metadata.name} ${text}`);
  }
  if (dryRun) return;
  const disruptedPods = { ...status.disruptedPods, [pod]: formatTime(deps.clock.now()) };
  const charged = {
    ...budget,
    status: { ...status, disruptionsAllowed: disruptionsAllowed - 1, disruptedPods },
  };
  await replace(deps, `${budgetPrefix}${metadata.namespace}/${metadata.name}`, charged);
}

function tooSoon(message: string, retryAfterSeconds?: number) {
  return failure('TooManyRequests', "Cannot evict pod as it would violate the pod's disruption budget.", {
    causes: [{ reason: 'DisruptionBudget', message }],
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
}

async function terminate(deps: ServerDeps, pod: KubeObject, options: DeleteOptions, request: RequestContext) {
  const { metadata } = pod;
  const { uid, resourceVersion } = options.preconditions ?? {};
  if ((uid ?? metadata.uid) !== metadata.uid) {
    const records = `does not match the UID in record (${metadata.uid})`;
    const why = `the UID in the precondition (${uid}) ${records}. The object might have been deleted and then recreated`;
    throw conflict({ group: '', resource: 'Pod' }, metadata.name ?? '', why);
  }
  if ((resourceVersion ?? metadata.resourceVersion) !== metadata.resourceVersion) {
    const records = `does not match the ResourceVersion in record (${metadata.resourceVersion})`;
    const why = `the ResourceVersion in the precondition (${resourceVersion}) ${records}. The object might have been modified`;
    throw conflict({ group: '', resource: 'Pod' }, metadata.name ?? '', why);
  }
  const marked = deepCopy(pod);
  const key = `/registry/pods/${metadata.namespace}/${metadata.name}`;
  if (!options.dryRun) await noteDisruption(deps, key, marked);
  const reached = beginTermination(
    { gracePeriod: podGracePeriod },
    marked,
    options,
    deps.clock.now(),
    request,
  );
  if (options.dryRun || reached === 'pending') return;
  if (reached !== 'gone') await replace(deps, key, marked);
  if (reached !== 'held') await deps.store.delete(key);
}

/** Adds the DisruptionTarget condition to a pod before it is deleted. */
async function noteDisruption(deps: ServerDeps, key: string, pod: KubeObject): Promise<void> {
  const status = isObject(pod.status) ? pod.status : {};
  const conditions = Array.isArray(status.conditions) ? (status.conditions as JsonObject[]) : [];
  const before = conditions.find(({ type }) => type === 'DisruptionTarget');
  const lastTransitionTime =
    before?.status === 'True' ? before.lastTransitionTime : formatTime(deps.clock.now());
  const condition = {
    type: 'DisruptionTarget',
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime,
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
  } as JsonObject;
  const others = conditions.filter((each) => each !== before);
  pod.status = { ...status, conditions: [...others, condition] };
  pod.metadata.resourceVersion = String(await replace(deps, key, pod));
}

/** Writes an object if it did not change since it was read. Resolves to the revision. Throws Conflict. */
async function replace(deps: ServerDeps, key: string, object: KubeObject): Promise<number> {
  try {
    return await deps.store.update(key, encodeStored(object), Number(object.metadata.resourceVersion));
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    throw conflict(pods, object.metadata.name ?? '', objectModified);
  }
}
