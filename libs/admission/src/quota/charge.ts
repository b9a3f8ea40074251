import type { MeasuredWrite, QuotaEvaluator } from './evaluator.ts';
import { type QuotaState, quotaCounts } from './quota-state.ts';
import {
  add,
  amountsText,
  namesText,
  pick,
  type ResourceList,
  subtractToZero,
  withoutZeros,
} from './resource-list.ts';

/** A write that exceeds a quota; the message is that of kube-apiserver. */
export class QuotaRefusal extends Error {
  override readonly name = 'QuotaRefusal';
}

/**
 * Adds the usage of a write to all quotas that count it. Throws {@link QuotaRefusal} if a quota is exceeded
 * or its status is not computed yet.
 */
export function charge(
  quotas: readonly QuotaState[],
  write: MeasuredWrite,
  evaluator: QuotaEvaluator,
  now: number,
): readonly QuotaState[] {
  if (!evaluator.handles(write)) return quotas;
  const counting = quotas.filter((quota) => quotaCounts(quota, write.object, evaluator));
  for (const quota of counting) requireStatus(quota, write, evaluator);
  if (counting.length === 0) return quotas;
  const usage = evaluator.usage(write.object, now);
  const negative = [...usage].filter(([, amount]) => amount.sign < 0).map(([name]) => name);
  if (negative.length > 0) {
    throw new QuotaRefusal(`quota usage is negative for resource(s): ${namesText(negative)}`);
  }
  const charged = new Set(counting);
  return quotas.map((quota) =>
    charged.has(quota)
      ? chargeOne(quota, additionalUsage(quota, usage, write, evaluator, now), write)
      : quota,
  );
}

function requireStatus(quota: QuotaState, { object }: MeasuredWrite, evaluator: QuotaEvaluator): void {
  const { name, hard, used } = quota;
  const limited = [...hard.keys()].filter((resource) => evaluator.measures(resource));
  const missing = evaluator.missing?.(object, limited);
  if (missing !== undefined) throw new QuotaRefusal(`failed quota: ${name}: ${missing}`);
  if (limited.some((resource) => !used.has(resource))) {
    throw new QuotaRefusal(`status unknown for quota: ${name}, resources: ${namesText(limited)}`);
  }
}

/**
 * Returns the additional usage of the write. Objects that the quota did not count before are counted in full.
 */
function additionalUsage(
  quota: QuotaState,
  usage: ResourceList,
  { oldObject }: MeasuredWrite,
  evaluator: QuotaEvaluator,
  now: number,
): ResourceList {
  if (oldObject === undefined || !quotaCounts(quota, oldObject, evaluator)) return withoutZeros(usage);
  return withoutZeros(subtractToZero(usage, evaluator.usage(oldObject, now)));
}

function chargeOne(quota: QuotaState, delta: ResourceList, { subresource }: MeasuredWrite): QuotaState {
  const { name, hard } = quota;
  const requested = pick(delta, (resource) => hard.has(resource));
  if (requested.size === 0) return quota;
  const used = add(quota.used, requested);
  const isExceeded = (resource: string): boolean => {
    const limit = hard.get(resource);
    return limit !== undefined && (used.get(resource)?.compare(limit) ?? 0) > 0;
  };
  const exceeded = new Set([...requested.keys()].filter(isExceeded));
  // A quota cannot prevent a status update, which reports what has happened.
  if (exceeded.size > 0 && subresource !== 'status') {
    const [amounts, before, limited] = [requested, quota.used, hard].map((list) =>
      amountsText(pick(list, (resource) => exceeded.has(resource))),
    );
    throw new QuotaRefusal(
      `exceeded quota: ${name}, requested: ${amounts}, used: ${before}, limited: ${limited}`,
    );
  }
  return { ...quota, used };
}
