import {
  compileLabelSelector,
  deepEqualInPasses,
  DividedVisit,
  finishInSlices,
  getOwn,
  isObject,
  type JsonValue,
  type KubeObject,
  type LabelSelectorObject,
  type Passes,
} from '@annex/machinery';
import { pause } from '@annex/server';
import type { Controller, ControllerDeps } from './controller.ts';
import { WorkQueue } from './work-queue.ts';

const path = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
const fieldManager = 'clusterrole-aggregation-controller';

interface ClusterRole extends KubeObject {
  rules?: JsonValue[] | null;
  aggregationRule?: { clusterRoleSelectors?: LabelSelectorObject[] } | null;
}

/** Sets the rules of ClusterRoles that have an aggregation rule. */
export function clusterRoleAggregation(deps: ControllerDeps): Controller {
  const roles = deps.informers.of<ClusterRole>(path);
  const queue = new WorkQueue<string>(
    {
      name: 'ClusterRoleAggregator',
      workers: 5,
      async work(name) {
        const role = roles.get(name);
        if (!role?.aggregationRule) return;
        const rules = await finishInSlices(aggregatedRules(role, roles.list()), pause);
        if (!(await finishInSlices(deepEqualInPasses(rules, role.rules ?? []), pause)))
          await apply(deps, role, rules);
      },
    },
    deps,
  );
  // Any role may select any other role, and there are few: as in kube, each change checks all of them.
  const checkAll = () => {
    for (const { aggregationRule, metadata } of roles.list())
      if (aggregationRule) queue.add(metadata.name ?? '');
  };
  roles.listen({ added: checkAll, modified: checkAll, deleted: checkAll });
  return {
    start: () => void roles.start().then(() => queue.start()),
    stop: () => queue.stop(),
  };
}

const ruleFields = ['verbs', 'apiGroups', 'resources', 'resourceNames', 'nonResourceURLs'];

/** Returns the rules of all selected roles, in the order of selectors and names, without duplicates. */
export function* aggregatedRules(role: ClusterRole, all: readonly ClusterRole[]): Passes<JsonValue[]> {
  const byName = [...all].sort((a, b) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1));
  const rules = new Map<string, JsonValue>();
  const visit = new DividedVisit();
  for (const selector of role.aggregationRule?.clusterRoleSelectors ?? []) {
    const chosen = compileLabelSelector(selector);
    for (const other of byName) {
      if (other.metadata.name === role.metadata.name || !chosen.matches(other.metadata.labels)) continue;
      yield* visit.each(other.rules ?? [], (rule) => {
        const text = JSON.stringify(ruleFields.map((field) => isObject(rule) && getOwn(rule, field)));
        if (!rules.has(text)) rules.set(text, rule);
      });
    }
  }
  return [...rules.values()];
}

async function apply({ api }: ControllerDeps, { metadata }: ClusterRole, rules: JsonValue[]): Promise<void> {
  const { name = '', uid = '' } = metadata;
  await api.json({
    method: 'PATCH',
    path: `${path}/${name}?fieldManager=${fieldManager}&force=true`,
    headers: { 'content-type': 'application/apply-patch+yaml' },
    body: {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      // The uid prevents the recreation of a role that was just deleted.
      metadata: { name, uid },
      ...(rules.length > 0 ? { rules } : {}),
    },
  });
}
