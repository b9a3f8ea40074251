import { type JsonObject, type KubeObject, Quantity } from '@annex/machinery';
import type { QuotaEvaluator, ScopeRequirement } from './evaluator.ts';
import { add, pick, type ResourceList, resourceList } from './resource-list.ts';

/** A ResourceQuota of `v1`. */
export interface ResourceQuota extends KubeObject {
  spec?: {
    hard?: JsonObject;
    scopes?: string[];
    scopeSelector?: { matchExpressions?: ScopeRequirement[] };
  };
  status?: { hard?: JsonObject; used?: JsonObject };
}

/** The limits and the usage of a quota by its status. */
export interface QuotaState {
  readonly name: string;
  readonly scopes: readonly ScopeRequirement[];
  readonly hard: ResourceList;
  readonly used: ResourceList;
}

export const quotaState = (quota: ResourceQuota): QuotaState => ({
  name: quota.metadata.name ?? '',
  scopes: scopesOf(quota),
  hard: resourceList(quota.status?.hard),
  used: resourceList(quota.status?.used),
});

const scopesOf = ({ spec }: ResourceQuota): ScopeRequirement[] => [
  ...(spec?.scopes ?? []).map((scopeName) => ({ scopeName, operator: 'Exists' })),
  ...(spec?.scopeSelector?.matchExpressions ?? []),
];

/** Returns whether a quota counts the object. */
const counts = (
  { hard, scopes }: Pick<QuotaState, 'hard' | 'scopes'>,
  object: KubeObject,
  evaluator: QuotaEvaluator,
): boolean =>
  [...hard.keys()].some((name) => evaluator.measures(name)) &&
  scopes.every((scope) => evaluator.inScope(object, scope));

export { counts as quotaCounts };

/**
 * Returns the usage of objects of one resource for every amount that a quota limits, including zeros. For
 * uniform objects, their number is sufficient.
 */
export function measureUsage(
  quota: ResourceQuota,
  evaluator: QuotaEvaluator,
  objects: readonly KubeObject[] | number,
  now: number,
): ResourceList {
  const limits = { hard: resourceList(quota.spec?.hard), scopes: scopesOf(quota) };
  const measured = [...limits.hard.keys()].filter((name) => evaluator.measures(name));
  if (typeof objects === 'number') {
    const count = Quantity.of(limits.scopes.length > 0 ? 0 : objects);
    return new Map(measured.map((name) => [name, count]));
  }
  let used: ResourceList = new Map(measured.map((name) => [name, Quantity.of(0)]));
  for (const object of objects) {
    if (counts(limits, object, evaluator)) used = add(used, evaluator.usage(object, now));
  }
  const names = new Set(measured);
  return pick(used, (name) => names.has(name));
}
