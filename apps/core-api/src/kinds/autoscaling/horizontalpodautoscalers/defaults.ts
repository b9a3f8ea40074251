import { type Default, setAbsent, type TypeDefaults } from '@annex/kinds';
import { emptyFieldOf, isObject, type JsonObject, type JsonValue } from '@annex/machinery';

const cpuMetric = {
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
};

const scaleUp = {
  stabilizationWindowSeconds: 0,
  selectPolicy: 'Max',
  policies: [
    { type: 'Pods', value: 4, periodSeconds: 15 },
    { type: 'Percent', value: 100, periodSeconds: 15 },
  ],
};

const scaleDown = { selectPolicy: 'Max', policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }] };

const autoscalerSpec: Default = (spec) => {
  setAbsent(spec, { minReplicas: 1 });
  if (!Array.isArray(spec.metrics) || spec.metrics.length === 0) spec.metrics = [structuredClone(cpuMetric)];
  if (!isObject(spec.behavior)) return;
  setAbsent(spec.behavior, { scaleUp: {}, scaleDown: {} });
  setRules(spec.behavior.scaleUp as JsonObject, scaleUp);
  setRules(spec.behavior.scaleDown as JsonObject, scaleDown);
};

/** Sets absent fields of rules; empty policies are an error instead. */
function setRules(rules: JsonObject, { policies, ...other }: JsonObject & { policies: JsonValue }): void {
  setAbsent(rules, other);
  if (emptyFieldOf(rules, 'policies') === undefined) setAbsent(rules, { policies });
}

/** The defaults of both versions. */
export const autoscalerDefaults: TypeDefaults = {
  'io.k8s.api.autoscaling.v1.HorizontalPodAutoscalerSpec': { minReplicas: 1 },
  'io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerSpec': autoscalerSpec,
  'io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerCondition': { lastTransitionTime: null },
};
