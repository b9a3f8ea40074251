import {
  canonicalizeAutoscaler,
  completeBehavior,
  type Default,
  defaultMetrics,
  dropReservedAnnotations,
  setAbsent,
  type TypeDefaults,
} from '@annex/kinds';
import { isObject } from '@annex/machinery';

const autoscalerSpec: Default = (spec) => {
  setAbsent(spec, { minReplicas: 1 });
  if (!Array.isArray(spec.metrics) || spec.metrics.length === 0) spec.metrics = defaultMetrics();
  if (isObject(spec.behavior)) completeBehavior(spec.behavior);
};

/** The defaults of both versions. */
export const autoscalerDefaults: TypeDefaults = {
  'io.k8s.api.autoscaling.v1.HorizontalPodAutoscaler': canonicalizeAutoscaler,
  'io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler': dropReservedAnnotations,
  'io.k8s.api.autoscaling.v1.HorizontalPodAutoscalerSpec': { minReplicas: 1 },
  'io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerSpec': autoscalerSpec,
  'io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerCondition': { lastTransitionTime: null },
};
