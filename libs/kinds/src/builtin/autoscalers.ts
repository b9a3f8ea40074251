import {
  getOwn,
  isObject,
  type JsonObject,
  type JsonValue,
  type KubeObject,
  setOwn,
  tableOf,
  jsonParse,
} from '@annex/machinery';
import type { StorageKind } from '../resource-kind.ts';

// autoscaling/v1 has only the CPU metric; annotations of the v1 object contain the other fields of v2.
const prefix = 'autoscaling.alpha.kubernetes.io/';
const metricsAnnotation = `${prefix}metrics`;
const behaviorAnnotation = `${prefix}behavior`;
const conditionsAnnotation = `${prefix}conditions`;
const defaultUtilization = 80;

const objectAt = (value: JsonValue | undefined, name: string): JsonObject => {
  const child = isObject(value) ? getOwn(value, name) : undefined;
  return isObject(child) ? child : {};
};

const isCpu = (metric: JsonValue): boolean =>
  isObject(metric) &&
  metric.type === 'Resource' &&
  objectAt(metric, 'resource').name === 'cpu' &&
  objectAt(objectAt(metric, 'resource'), 'target').averageUtilization !== undefined;

const cpuMetric = (averageUtilization: JsonValue): JsonObject => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } },
});

/** The fields of a metric value in v1 and in v2, under the field of the metric's type. */
type Place = readonly [v1: string, v2: string];

const averages: Place[] = [
  ['targetAverageUtilization', 'target.averageUtilization'],
  ['targetAverageValue', 'target.averageValue'],
];

const metricPlaces = tableOf<readonly [field: string, ...places: Place[]]>({
  Resource: ['resource', ['name', 'name'], ...averages],
  ContainerResource: ['containerResource', ['name', 'name'], ['container', 'container'], ...averages],
  Pods: [
    'pods',
    ['metricName', 'metric.name'],
    ['selector', 'metric.selector'],
    ['targetAverageValue', 'target.averageValue'],
  ],
  Object: [
    'object',
    ['target', 'describedObject'],
    ['metricName', 'metric.name'],
    ['selector', 'metric.selector'],
    ['targetValue', 'target.value'],
    ['averageValue', 'target.averageValue'],
  ],
  External: [
    'external',
    ['metricName', 'metric.name'],
    ['metricSelector', 'metric.selector'],
    ['targetValue', 'target.value'],
    ['targetAverageValue', 'target.averageValue'],
  ],
});

const targetTypes = [
  ['averageUtilization', 'Utilization'],
  ['averageValue', 'AverageValue'],
  ['value', 'Value'],
] as const;

function metricToV1(metric: JsonValue): JsonValue {
  const { type } = isObject(metric) ? metric : {};
  const [field, ...places] = metricPlaces.get(String(type)) ?? [];
  if (field === undefined) return metric;
  const source = objectAt(metric, field);
  const values = places.map(([v1, v2]) => [v1, valueAt(source, v2)] as const);
  return {
    type: type ?? null,
    [field]: Object.fromEntries(values.filter(([, v]) => v !== undefined)) as JsonObject,
  };
}

function metricToV2(metric: JsonValue): JsonValue {
  const { type } = isObject(metric) ? metric : {};
  const [field, ...places] = metricPlaces.get(String(type)) ?? [];
  if (field === undefined) return metric;
  const source = objectAt(metric, field);
  const made: JsonObject = {};
  for (const [v1, v2] of places) {
    const value = getOwn(source, v1);
    if (value === undefined) continue;
    const [holder, name] = v2.split('.') as [string, string?];
    if (name === undefined) setOwn(made, holder, value);
    else setOwn(made, holder, { ...objectAt(made, holder), [name]: value });
  }
  const target = objectAt(made, 'target');
  const found = targetTypes.find(([name]) => target[name] !== undefined);
  made.target = { type: found?.[1] ?? 'Value', ...target };
  return { type: type ?? null, [field]: made };
}

/**
 * The Go names of the fields of a behavior, in order. The annotation contains kube-apiserver's internal type,
 * which encodes all fields.
 */
const behaviorFields = ['ScaleUp', 'ScaleDown'];
const ruleFields = ['StabilizationWindowSeconds', 'SelectPolicy', 'Policies', 'Tolerance'];
const policyFields = ['Type', 'Value', 'PeriodSeconds'];

const jsonName = (name: string): string => name.charAt(0).toLowerCase() + name.slice(1);

const goFields = (value: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(names.map((name) => [name, getOwn(value, jsonName(name)) ?? null]));

function behaviorToV1(behavior: JsonValue): JsonValue {
  if (!isObject(behavior)) return behavior;
  const made = goFields(behavior, behaviorFields);
  for (const name of behaviorFields) {
    const rules = getOwn(made, name);
    if (!isObject(rules)) continue;
    const { policies } = rules;
    setOwn(made, name, {
      ...goFields(rules, ruleFields),
      Policies: Array.isArray(policies)
        ? policies.map((p) => (isObject(p) ? goFields(p, policyFields) : p))
        : null,
    });
  }
  return made;
}

/** Converts the names of the fields to those of JSON; Go decodes names case-insensitively. */
function behaviorToV2(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(behaviorToV2);
  if (!isObject(value)) return value;
  const fields = Object.entries(value).filter(([, field]) => field !== null);
  return Object.fromEntries(fields.map(([name, field]) => [jsonName(name), behaviorToV2(field)]));
}

function valueAt(object: JsonObject, path: string): JsonValue | undefined {
  return path
    .split('.')
    .reduce<JsonValue | undefined>((at, name) => (isObject(at) ? getOwn(at, name) : undefined), object);
}

function fromStored(stored: KubeObject): KubeObject {
  const { metrics, behavior, ...spec } = (stored.spec ?? {}) as JsonObject;
  const { currentMetrics, conditions, ...status } = (stored.status ?? {}) as JsonObject;
  const all = Array.isArray(metrics) ? metrics : [];
  const cpu = all.find(isCpu);
  const others = all.filter((metric) => metric !== cpu).map(metricToV1);
  const target = valueAt(objectAt(cpu, 'resource'), 'target.averageUtilization');
  if (target !== undefined) spec.targetCPUUtilizationPercentage = target;
  const current = (Array.isArray(currentMetrics) ? currentMetrics : []).find(
    (metric) => objectAt(metric, 'resource').name === 'cpu',
  );
  const used = valueAt(objectAt(current, 'resource'), 'current.averageUtilization');
  if (used !== undefined) status.currentCPUUtilizationPercentage = used;
  const annotations = {
    ...stored.metadata.annotations,
    ...(others.length > 0 ? { [metricsAnnotation]: JSON.stringify(others) } : {}),
    ...(behavior === undefined ? {} : { [behaviorAnnotation]: JSON.stringify(behaviorToV1(behavior)) }),
    ...(conditions === undefined ? {} : { [conditionsAnnotation]: JSON.stringify(conditions) }),
  };
  status.currentReplicas ??= 0;
  const metadata = { ...stored.metadata, ...(Object.keys(annotations).length > 0 ? { annotations } : {}) };
  return { ...stored, apiVersion: 'autoscaling/v1', metadata, spec, status };
}

function toStored(object: KubeObject): KubeObject {
  const { targetCPUUtilizationPercentage: target, ...spec } = (object.spec ?? {}) as JsonObject;
  const { currentCPUUtilizationPercentage: used, ...status } = (object.status ?? {}) as JsonObject;
  const {
    [metricsAnnotation]: others,
    [behaviorAnnotation]: behavior,
    [conditionsAnnotation]: conditions,
    ...annotations
  } = object.metadata.annotations ?? {};
  const listed = parsed(others);
  const metrics = (Array.isArray(listed) ? listed : []).map(metricToV2);
  if (target !== undefined) metrics.push(cpuMetric(target));
  spec.metrics = metrics.length > 0 ? metrics : [cpuMetric(defaultUtilization)];
  const kept = { behavior: parsed(behavior), conditions: parsed(conditions) };
  if (isObject(kept.behavior)) spec.behavior = behaviorToV2(kept.behavior);
  if (Array.isArray(kept.conditions)) status.conditions = kept.conditions;
  if (used !== undefined) {
    status.currentMetrics = [
      { type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: used } } },
    ];
  }
  const { annotations: _annotations, ...metadata } = object.metadata;
  const left = Object.keys(annotations).length > 0 ? { annotations } : {};
  return { ...object, apiVersion: 'autoscaling/v2', metadata: { ...metadata, ...left }, spec, status };
}

function parsed(text: string | undefined): JsonValue | undefined {
  if (text === undefined) return undefined;
  try {
    return jsonParse(text) as JsonValue;
  } catch {
    // kube-apiserver ignores an invalid annotation.
    return undefined;
  }
}

/** The storage of HorizontalPodAutoscalers: `autoscaling/v1` is stored as `autoscaling/v2`. */
export const autoscalersStorage = {
  prefix: '/registry/horizontalpodautoscalers/',
  apiVersion: 'autoscaling/v2',
  identity: false,
  fromStored,
  toStored,
} satisfies StorageKind;
