import {
  DividedVisit,
  escapedJson,
  escapedJsonInPasses,
  finish,
  getOwn,
  isEmptyObject,
  isObject,
  type JsonObject,
  type JsonValue,
  jsonParse,
  type KubeObject,
  type Passes,
  setOwn,
} from '@annex/machinery';
import type { StorageKind } from '../../resource-kind.ts';
import { behaviorDecoder, behaviorToV1 } from './behavior-form.ts';
import { struct, text, Undecodable } from './go-decoders.ts';
import { metricDecoder, metricToV1, metricToV2, specForms, statusForms } from './metric-forms.ts';
import { objectAt, valueAt } from './places.ts';
import { completeBehavior, cpuMetric, defaultMetrics } from './spec-defaults.ts';

// autoscaling/v1 has only the CPU metric; annotations of the v1 object contain the other fields of v2.
const prefix = 'autoscaling.alpha.kubernetes.io/';
const metricsAnnotation = `${prefix}metrics`;
const currentMetricsAnnotation = `${prefix}current-metrics`;
const behaviorAnnotation = `${prefix}behavior`;
const conditionsAnnotation = `${prefix}conditions`;

const reserved = new Set([
  metricsAnnotation,
  currentMetricsAnnotation,
  behaviorAnnotation,
  conditionsAnnotation,
  `${prefix}scale-down-tolerance`,
  `${prefix}scale-up-tolerance`,
]);

const annotationsOf = {
  spec: [metricsAnnotation, behaviorAnnotation],
  status: [currentMetricsAnnotation, conditionsAnnotation],
} as const;

/** Sets the annotations that contain a part of an object of v1 to those of another object; without one, removes them. */
export function restoreAnnotations(
  object: KubeObject,
  old: KubeObject | undefined,
  part: 'spec' | 'status',
): void {
  const annotations = { ...object.metadata.annotations };
  for (const name of annotationsOf[part]) {
    const before = getOwn(old?.metadata.annotations ?? {}, name);
    if (before === undefined) delete annotations[name];
    else annotations[name] = before;
  }
  if (Object.keys(annotations).length > 0) object.metadata.annotations = annotations;
  else delete object.metadata.annotations;
}

/** Removes the annotations that contain fields of v2 in v1: no other version has them, and none is stored. */
export function dropReservedAnnotations(object: JsonObject): void {
  const metadata = objectAt(object, 'metadata');
  const annotations = objectAt(metadata, 'annotations');
  const kept = Object.entries(annotations).filter(([name]) => !reserved.has(name));
  if (kept.length === Object.keys(annotations).length) return;
  if (kept.length > 0) metadata.annotations = Object.fromEntries(kept);
  else delete metadata.annotations;
}

const isOfCpu = (metric: JsonValue): boolean =>
  isObject(metric) && metric.type === 'Resource' && objectAt(metric, 'resource').name === 'cpu';

const utilizationOf =
  (path: string) =>
  (metric: JsonValue): JsonValue | undefined =>
    isOfCpu(metric) ? valueAt(objectAt(metric, 'resource'), path) : undefined;

const targetOf = utilizationOf('target.averageUtilization');
const currentOf = utilizationOf('current.averageUtilization');

const currentCpu = (averageUtilization: JsonValue): JsonObject => ({
  type: 'Resource',
  resource: { name: 'cpu', current: { averageUtilization } },
});

/** Returns a condition with its fields in the order of v1's Go type, which cannot omit the time. */
function conditionToV1(condition: JsonValue): JsonObject {
  const {
    type = '',
    status = '',
    lastTransitionTime = null,
    reason,
    message,
  } = isObject(condition) ? condition : {};
  const texts = { ...(reason ? { reason } : {}), ...(message ? { message } : {}) };
  return { type, status, lastTransitionTime, ...texts };
}

const listOf = (value: JsonValue | undefined): JsonValue[] => (Array.isArray(value) ? value : []);

/** Converts the items of a list in passes. */
function* converted<T>(list: readonly JsonValue[], convert: (item: JsonValue) => T): Passes<T[]> {
  const made: T[] = [];
  yield* new DividedVisit().each(list, (item) => made.push(convert(item)));
  return made;
}

function* fromStored(stored: KubeObject): Passes<KubeObject> {
  const { metrics, behavior, ...spec } = (stored.spec ?? {}) as JsonObject;
  const { currentMetrics, conditions, ...status } = (stored.status ?? {}) as JsonObject;
  const [targets, current] = [listOf(metrics), listOf(currentMetrics)];
  const ofTargets = yield* converted(targets, targetOf);
  const target = ofTargets.find((value) => value !== undefined);
  if (target !== undefined) spec.targetCPUUtilizationPercentage = target;
  const used = (yield* converted(current, currentOf)).findLast((value) => value !== undefined);
  if (used !== undefined) status.currentCPUUtilizationPercentage = used;
  status.currentReplicas ??= 0;
  const shown = { ...stored, apiVersion: 'autoscaling/v1', metadata: { ...stored.metadata }, spec, status };
  dropReservedAnnotations(shown as unknown as JsonObject);
  const others = targets.filter((_, i) => ofTargets[i] === undefined);
  yield* annotateList(shown, metricsAnnotation, others, (metric) => metricToV1(specForms, metric));
  yield* annotateList(shown, currentMetricsAnnotation, current, (metric) => metricToV1(statusForms, metric));
  if (behavior !== undefined) annotate(shown, behaviorAnnotation, escapedJson(behaviorToV1(behavior)));
  yield* annotateList(shown, conditionsAnnotation, listOf(conditions), conditionToV1);
  return shown;
}

function* annotateList(
  object: KubeObject,
  name: string,
  list: readonly JsonValue[],
  convert: (item: JsonValue) => JsonObject,
): Passes<void> {
  if (list.length === 0) return;
  annotate(object, name, yield* escapedJsonInPasses(yield* converted(list, convert)));
}

/** Adds an annotation with a value in JSON, as Go encodes it. */
function annotate({ metadata }: KubeObject, name: string, json: string): void {
  metadata.annotations = { ...metadata.annotations, [name]: json };
}

const readCondition = struct({
  type: text,
  status: text,
  lastTransitionTime: text,
  reason: text,
  message: text,
});
const readMetric = metricDecoder(specForms);
const readCurrentMetric = metricDecoder(statusForms);

/** Returns what an annotation contains, as Go reads it. kube-apiserver ignores one that it cannot decode. */
function* annotated<T>(
  { metadata }: KubeObject,
  name: string,
  decode: (value: JsonValue) => Passes<T>,
): Passes<T | undefined> {
  const encoded = getOwn(metadata.annotations ?? {}, name);
  if (encoded === undefined) return undefined;
  try {
    return yield* decode(jsonParse(encoded) as JsonValue);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof Undecodable) return undefined;
    throw error;
  }
}

/** Reads a slice and converts its items, in passes; null is an empty one. */
const listDecoder = (convert: (item: JsonValue) => JsonObject) =>
  function* (value: JsonValue): Passes<JsonObject[]> {
    if (value === null) return [];
    if (!Array.isArray(value)) throw new Undecodable('not a list');
    yield;
    return yield* converted(value, convert);
  };

const metricsIn = listDecoder((item) => metricToV2(specForms, readMetric(item)));
const currentMetricsIn = listDecoder((item) => metricToV2(statusForms, readCurrentMetric(item)));
const conditionsIn = listDecoder((item) => ({
  lastTransitionTime: null,
  ...(readCondition(item) as JsonObject),
}));
function* behaviorIn(value: JsonValue): Passes<JsonValue> {
  return behaviorDecoder(value);
}

/** Converts an object of v1 to v2, without v2's defaults, in passes over its metrics: an annotation may contain very many. */
export function* autoscalerInV2(object: KubeObject): Passes<KubeObject> {
  const { targetCPUUtilizationPercentage: target, ...spec } = (object.spec ?? {}) as JsonObject;
  const { currentCPUUtilizationPercentage: used, ...status } = (object.status ?? {}) as JsonObject;
  const metrics: JsonValue[] = (yield* annotated(object, metricsAnnotation, metricsIn)) ?? [];
  if (target !== undefined) metrics.push(cpuMetric(target));
  spec.metrics = metrics.length > 0 ? metrics : defaultMetrics();
  const behavior = yield* annotated(object, behaviorAnnotation, behaviorIn);
  // One without rules is none.
  if (isObject(behavior) && !isEmptyObject(behavior)) spec.behavior = behavior;
  const current = yield* annotated(object, currentMetricsAnnotation, currentMetricsIn);
  if (current !== undefined) status.currentMetrics = current;
  else if (used !== undefined) status.currentMetrics = [currentCpu(used)];
  const conditions = yield* annotated(object, conditionsAnnotation, conditionsIn);
  if (conditions !== undefined) status.conditions = conditions;
  const stored = { ...object, apiVersion: 'autoscaling/v2', metadata: { ...object.metadata }, spec, status };
  dropReservedAnnotations(stored as unknown as JsonObject);
  return stored;
}

function* toStored(object: KubeObject): Passes<KubeObject> {
  const stored = yield* autoscalerInV2(object);
  const { behavior } = stored.spec as JsonObject;
  if (isObject(behavior)) completeBehavior(behavior);
  return stored;
}

/** The storage of HorizontalPodAutoscalers: `autoscaling/v1` is stored as `autoscaling/v2`. */
export const autoscalersStorage = {
  prefix: '/registry/horizontalpodautoscalers/',
  apiVersion: 'autoscaling/v2',
  identity: false,
  fromStored: (object: KubeObject) => finish(fromStored(object)),
  toStored: (object: KubeObject) => finish(toStored(object)),
  inPasses: { fromStored, toStored },
} satisfies StorageKind;

/**
 * Brings an object of `autoscaling/v1` into the form that kube-apiserver gives it before anything else reads it, by a conversion to its
 * internal type: with a target, and with annotations that say what is in v2. In passes.
 */
export function* canonicalizeAutoscaler(object: JsonObject): Passes<void> {
  const canonical = yield* fromStored(yield* autoscalerInV2(object as unknown as KubeObject));
  const metadata = objectAt(object, 'metadata');
  if (canonical.metadata.annotations === undefined) delete metadata.annotations;
  else metadata.annotations = canonical.metadata.annotations as unknown as JsonObject;
  setOwn(object, 'spec', canonical.spec as JsonValue);
  if (object.status !== undefined) setOwn(object, 'status', canonical.status as JsonValue);
}
