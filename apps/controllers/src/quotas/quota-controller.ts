import { deepEqual, isReason, type KubeObject } from '@annex/machinery';
import {
  asAmounts,
  type QuotaEvaluator,
  type ResourceList,
  resourceList,
  type ResourceQuota,
  sameAmounts,
} from '@annex/admission';
import type { Controller, ControllerDeps } from '../controller.ts';
import { type Outcome, WorkQueue } from '../work-queue.ts';
import { QuotaMonitors } from './quota-monitors.ts';
import { usedAmounts } from './used-amounts.ts';

/** Interval in milliseconds after which all quotas are measured again, as in kube. */
const resyncMs = 300_000;

/**
 * Milliseconds to wait after admission charged a quota. Admission charges objects that are not stored yet, and may never be stored. An
 * earlier measurement would miss them, and no later one would correct the charge.
 */
const settledMs = 1_000;

/** Maximum number of attempts to write a status if admission writes it concurrently. */
const attempts = 5;

const collection = '/api/v1/resourcequotas';

/** Updates the status of ResourceQuotas: the limits and the used amounts. */
export function quotaController(deps: ControllerDeps): Controller {
  const quotas = deps.informers.of<ResourceQuota>(collection);
  const byNamespace = new Map<string, Set<string>>();
  const monitors = new QuotaMonitors(deps, (evaluator, namespace) => {
    for (const key of byNamespace.get(namespace) ?? []) {
      if (limits(quotas.get(key), evaluator)) queue.add(key);
    }
  });
  const queue = new WorkQueue<string>(
    {
      name: 'resourcequota',
      workers: 5,
      // Each deletion frees amounts, and a measurement reads all objects.
      rest: 4,
      ready: (key) => monitors.measuring(Object.keys(quotas.get(key)?.spec?.hard ?? {})),
      work: (key) => sync(deps, monitors, quotas.get(key)),
    },
    deps,
  );
  quotas.listen({
    added({ metadata }) {
      const { namespace = '' } = metadata;
      byNamespace.set(namespace, (byNamespace.get(namespace) ?? new Set()).add(keyOf({ metadata })));
      queue.add(keyOf({ metadata }));
    },
    modified(quota, previous) {
      if (!deepEqual(quota.spec?.hard, previous.spec?.hard)) queue.add(keyOf(quota));
      else if (!deepEqual(quota.status, previous.status)) queue.addAfter(keyOf(quota), settledMs);
    },
    deleted({ metadata }) {
      const keys = byNamespace.get(metadata.namespace ?? '');
      keys?.delete(keyOf({ metadata }));
      if (keys?.size === 0) byNamespace.delete(metadata.namespace ?? '');
    },
  });
  deps.served.listen(async (discovered) => {
    await monitors.follow(discovered);
    for (const quota of quotas.list()) if (isUnmeasured(quota)) queue.add(keyOf(quota));
  });
  return {
    start: () => void quotas.start().then(() => queue.start()),
    async stop() {
      await Promise.all([queue.stop(), monitors.stop()]);
    },
  };
}

const keyOf = ({ metadata }: KubeObject): string => `${metadata.namespace}/${metadata.name}`;

const limits = (quota: ResourceQuota | undefined, evaluator: QuotaEvaluator): boolean =>
  Object.keys(quota?.spec?.hard ?? {}).some((name) => evaluator.measures(name));

/** True if a limited amount has no measurement yet; a new kind may provide it. */
const isUnmeasured = ({ spec, status }: ResourceQuota): boolean =>
  Object.keys(spec?.hard ?? {}).some((name) => !Object.hasOwn(status?.used ?? {}, name));

async function sync(
  deps: ControllerDeps,
  monitors: QuotaMonitors,
  known: ResourceQuota | undefined,
): Promise<Outcome> {
  let quota = known;
  for (let attempt = 1; quota !== undefined; attempt++) {
    const { used, failures } = await measure(deps, monitors, quota);
    try {
      await report(deps, quota, used);
    } catch (error) {
      if (!isReason(error, 'Conflict') || attempt === attempts) throw error;
      // Admission writes the status whenever objects are created.
      quota = await deps.api.find<ResourceQuota>(pathOf(quota));
      continue;
    }
    if (failures.length > 0) throw new Error(failures.join('; '));
    return { afterMs: resyncMs };
  }
}

const pathOf = ({ metadata: { namespace, name } }: ResourceQuota): string =>
  `/api/v1/namespaces/${namespace}/resourcequotas/${name}`;

/** Measures all amounts that a quota limits. Amounts that cannot be measured keep their value. */
async function measure(
  { api, clock }: ControllerDeps,
  monitors: QuotaMonitors,
  quota: ResourceQuota,
): Promise<{ used: ResourceList; failures: string[] }> {
  const hard = new Set(Object.keys(quota.spec?.hard ?? {}));
  const known = resourceList(quota.status?.used);
  const used = new Map([...known].filter(([name]) => hard.has(name)));
  const failures: string[] = [];
  for (const one of await monitors.measuring([...hard])) {
    try {
      for (const [name, amount] of await usedAmounts(api, one, quota, clock.now())) used.set(name, amount);
    } catch (error) {
      failures.push(error instanceof Error ? error.message : String(error));
    }
  }
  return { used, failures };
}

async function report({ api }: ControllerDeps, quota: ResourceQuota, used: ResourceList): Promise<void> {
  const { spec, status } = quota;
  const hard = spec?.hard ?? {};
  const isReported = status?.used !== undefined && sameAmounts(used, resourceList(status.used));
  if (isReported && deepEqual(hard, status.hard)) return;
  await api.json({
    method: 'PUT',
    path: `${pathOf(quota)}/status`,
    body: { ...quota, apiVersion: 'v1', kind: 'ResourceQuota', status: { hard, used: asAmounts(used) } },
  });
}
