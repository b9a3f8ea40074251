import { isObject, type JsonObject, type JsonValue, type KubeObject } from '@annex/machinery';
import type { StorageKind } from './resource-kind.ts';

// autoscaling/v1 knows one metric, the CPU; what else v2 says travels in annotations of the v1 object.
const metricsAnnotation = 'autoscaling.alpha.kubernetes.io/metrics';
const defaultUtilization = 80;

const isCpu = (metric: JsonValue): metric is JsonObject =>
  isObject(metric) &&
  metric.type === 'Resource' &&
  isObject(metric.resource) &&
  metric.resource.name === 'cpu' &&
  isObject(metric.resource.target) &&
  metric.resource.target.averageUtilization !== undefined;

const cpuMetric = (averageUtilization: JsonValue): JsonObject => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } },
});

function fromStored(stored: KubeObject): KubeObject {
  const { metrics, behavior: _behavior, ...spec } = (stored.spec ?? {}) as JsonObject;
  const all = Array.isArray(metrics) ? metrics : [];
  const cpu = all.find(isCpu);
  const others = all.filter((metric) => metric !== cpu);
  if (cpu !== undefined) {
    spec.targetCPUUtilizationPercentage = (
      (cpu.resource as JsonObject).target as JsonObject
    ).averageUtilization!;
  }
  if (others.length > 0) {
    stored.metadata.annotations = {
      ...stored.metadata.annotations,
      [metricsAnnotation]: JSON.stringify(others),
    };
  }
  const {
    currentMetrics: _metrics,
    conditions: _conditions,
    ...status
  } = (stored.status ?? {}) as JsonObject;
  return { ...stored, apiVersion: 'autoscaling/v1', spec, status };
}

function toStored(object: KubeObject): KubeObject {
  const { targetCPUUtilizationPercentage: target, ...spec } = (object.spec ?? {}) as JsonObject;
  const { currentCPUUtilizationPercentage: _current, ...status } = (object.status ?? {}) as JsonObject;
  const { [metricsAnnotation]: others, ...annotations } = object.metadata.annotations ?? {};
  const metrics = [...parseMetrics(others), ...(target === undefined ? [] : [cpuMetric(target)])];
  spec.metrics = metrics.length > 0 ? metrics : [cpuMetric(defaultUtilization)];
  const metadata = { ...object.metadata, ...(object.metadata.annotations ? { annotations } : {}) };
  return { ...object, apiVersion: 'autoscaling/v2', metadata, spec, status };
}

function parseMetrics(text: string | undefined): JsonValue[] {
  if (text === undefined) return [];
  try {
    const parsed = JSON.parse(text) as JsonValue;
    return Array.isArray(parsed) ? parsed : [];
  } catch {
    // kube ignores an annotation that does not parse.
    return [];
  }
}

/** HorizontalPodAutoscalers of `autoscaling/v1` are kept as `autoscaling/v2`. */
export const autoscalersStorage: StorageKind = {
  prefix: '/registry/autoscaling/horizontalpodautoscalers/',
  apiVersion: 'autoscaling/v2',
  identity: false,
  fromStored,
  toStored,
};
