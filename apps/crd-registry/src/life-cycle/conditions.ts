import { formatTime } from '@annex/machinery';
import type { ConditionType, Crd, CrdCondition } from '../crd/crd.ts';

/** A condition as a controller sets it; the time is set when the status changes. */
export type NewCondition = Pick<CrdCondition, 'type' | 'status' | 'reason' | 'message'>;

/** Sets a condition of a CRD in place: a new one is appended, and the time changes only with the status. */
export function setCondition(crd: Crd, condition: NewCondition, now: number): void {
  const conditions = (crd.status.conditions ??= []);
  const existing = conditions.find((other) => other.type === condition.type);
  const time = formatTime(now);
  if (existing === undefined) {
    const { type, status, ...why } = condition;
    conditions.push({ type, status, lastTransitionTime: time, ...why });
    return;
  }
  if (existing.status !== condition.status || !existing.lastTransitionTime)
    existing.lastTransitionTime = time;
  Object.assign(existing, condition);
}

/** Removes a condition of a CRD in place. */
export function removeCondition(crd: Crd, type: ConditionType): void {
  crd.status.conditions = crd.status.conditions?.filter((condition) => condition.type !== type) ?? null;
}
