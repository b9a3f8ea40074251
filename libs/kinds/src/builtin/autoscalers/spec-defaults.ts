import { emptyFieldOf, type JsonObject, type JsonValue } from '@annex/machinery';
import { setAbsent } from '../defaults.ts';

/** A target for the CPU, as a metric of v2. */
export const cpuMetric = (averageUtilization: JsonValue): JsonObject => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } },
});

const defaultUtilization = 80;

/** The metrics of an autoscaler without any. */
export const defaultMetrics = (): JsonValue[] => [cpuMetric(defaultUtilization)];

const scaleUp = {
  stabilizationWindowSeconds: 0,
  selectPolicy: 'Max',
  policies: [
    { type: 'Pods', value: 4, periodSeconds: 15 },
    { type: 'Percent', value: 100, periodSeconds: 15 },
  ],
};

const scaleDown = { selectPolicy: 'Max', policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }] };

/** Sets the defaults of a behavior, which only v2 has: one that is written in v1 gets them in the store. */
export function completeBehavior(behavior: JsonObject): void {
  setAbsent(behavior, { scaleUp: {}, scaleDown: {} });
  setRules(behavior.scaleUp as JsonObject, scaleUp);
  setRules(behavior.scaleDown as JsonObject, scaleDown);
}

/** Sets absent fields of rules; empty policies are an error instead. */
function setRules(rules: JsonObject, { policies, ...other }: JsonObject & { policies: JsonValue }): void {
  setAbsent(rules, other);
  if (emptyFieldOf(rules, 'policies') === undefined) setAbsent(rules, { policies });
}
