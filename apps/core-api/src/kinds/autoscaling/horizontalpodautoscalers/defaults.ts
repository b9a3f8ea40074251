import { type Default, setAbsent, type TypeDefaults } from '@annex/kinds';
import { isObject, type JsonObject } from '@annex/machinery';

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
  setAbsent(spec.behavior.scaleUp as JsonObject, scaleUp);
  setAbsent(spec.behavior.scaleDown as JsonObject, scaleDown);
};

/** The defaults of both versions. */
export const autoscalerDefaults: TypeDefaults = {
  'io.k8s.api.autoscaling.v1.HorizontalPodAutoscalerSpec': { minReplicas: 1 },
  'io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerSpec': autoscalerSpec,
  'io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerCondition': { lastTransitionTime: null },
};
