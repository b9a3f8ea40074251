import { deepEqual, type KubeObject } from '@annex/machinery';
import {
  asAmounts,
  type QuotaEvaluator,
  type ResourceList,
  resourceList,
  type ResourceQuota,
  sameAmounts,
} from '@annex/server';
import type { Controller, ControllerDeps } from '../controller.ts';
import { type Outcome, WorkQueue } from '../work-queue.ts';
import { QuotaMonitors } from './quota-monitors.ts';
import { usedAmounts } from './used-amounts.ts';

/** How often all is measured anew, as by kube. */
const resyncMs = 300_000;

/** Keeps the status of ResourceQuotas: what they limit, and what is used of it. */
export function quotaController(deps: ControllerDeps): Controller {
  const quotas = deps.informers.of<ResourceQuota>('/api/v1/resourcequotas');
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
      async work(key) {
        const quota = quotas.get(key);
        return quota === undefined ? undefined : await sync(deps, monitors, quota);
      },
    },
    deps,
  );
  quotas.listen({
    added({ metadata }) {
      const { namespace = '' } = metadata;
      byNamespace.set(namespace, (byNamespace.get(namespace) ?? new Set()).add(keyOf({ metadata })));
      queue.add(keyOf({ metadata }));
    },
    // A status is written by this controller and by admission, which counts in between.
    modified(quota, previous) {
      if (!deepEqual(quota.spec?.hard, previous.spec?.hard)) queue.add(keyOf(quota));
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

/** Whether something is limited of which nobody knew how much is used; a kind that has just come may tell. */
const isUnmeasured = ({ spec, status }: ResourceQuota): boolean =>
  Object.keys(spec?.hard ?? {}).some((name) => !Object.hasOwn(status?.used ?? {}, name));

async function sync(deps: ControllerDeps, monitors: QuotaMonitors, quota: ResourceQuota): Promise<Outcome> {
  const { used, failures } = await measure(deps, monitors, quota);
  await report(deps, quota, used);
  if (failures.length > 0) throw new Error(failures.join('; '));
  return { afterMs: resyncMs };
}

/** What is used of all that a quota limits. What cannot be measured stays as it is known. */
async function measure(
  { api, clock }: ControllerDeps,
  monitors: QuotaMonitors,
  quota: ResourceQuota,
): Promise<{ used: ResourceList; failures: string[] }> {
  const hard = Object.keys(quota.spec?.hard ?? {});
  const known = resourceList(quota.status?.used);
  const used = new Map([...known].filter(([name]) => hard.includes(name)));
  const failures: string[] = [];
  for (const one of await monitors.measuring(hard)) {
    try {
      for (const [name, amount] of await usedAmounts(api, one, quota, clock.now())) used.set(name, amount);
    } catch (error) {
      failures.push(error instanceof Error ? error.message : String(error));
    }
  }
  return { used, failures };
}

async function report({ api }: ControllerDeps, quota: ResourceQuota, used: ResourceList): Promise<void> {
  const { metadata, spec, status } = quota;
  const hard = spec?.hard ?? {};
  const isReported = status?.used !== undefined && sameAmounts(used, resourceList(status.used));
  if (isReported && deepEqual(hard, status.hard)) return;
  await api.json({
    method: 'PUT',
    path: `/api/v1/namespaces/${metadata.namespace}/resourcequotas/${metadata.name}/status`,
    body: { ...quota, apiVersion: 'v1', kind: 'ResourceQuota', status: { hard, used: asAmounts(used) } },
  });
}
