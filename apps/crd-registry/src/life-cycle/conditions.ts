import { formatTime } from '@annex/machinery';
import type { ConditionType, Crd, CrdCondition } from '../definition/crd.ts';

/** What a controller says of a condition; the time is set when the status changes. */
export type NewCondition = Pick<CrdCondition, 'type' | 'status' | 'reason' | 'message'>;

/** Sets a condition of a CRD in place: a new one goes last, and the time moves only with the status. */
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

/** Takes a condition away from a CRD, in place. */
export function removeCondition(crd: Crd, type: ConditionType): void {
  crd.status.conditions = crd.status.conditions?.filter((condition) => condition.type !== type) ?? null;
}
