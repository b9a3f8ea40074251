import { getOwn, isObject, type JsonObject, type JsonValue, setOwn, tableOf } from '@annex/machinery';
import { type GoDecoder, int32, list, quantity, struct, text, texts } from './go-decoders.ts';
import { objectAt, valueAt } from './places.ts';

/** A field of a metric in v1, and the path of the same value in v2. */
interface Place {
  v1: string;
  v2: string;
  /** Reads the value as its Go type, with the fields of a struct in their order. */
  decode: GoDecoder;
  /** What v1 has where v2 has nothing: the Go type is not a pointer. */
  zero?: string;
  /** The zero is nothing in v2 if this other field of v1 is set. */
  unsetBeside?: string;
  /** V2 has the zero where v1 has nothing. */
  zeroInV2?: true;
}

/** The places of the metrics of one type, in the order of v1's Go type. */
interface MetricForm {
  /** The field of the metric's source or status. */
  field: string;
  places: readonly Place[];
  /** Returns the type of the target in v2; absent for a status. */
  targetType?: (v1: JsonObject) => string;
}

/** The forms of metrics, by type. */
export type Forms = ReadonlyMap<string, MetricForm>;

const reference = struct({ kind: text, name: text, apiVersion: text });
const requirement = struct({ key: text, operator: text, values: list(text) });
const labelSelector = struct({ matchLabels: texts, matchExpressions: list(requirement) });

const name: Place = { v1: 'name', v2: 'name', decode: text };
const container: Place = { v1: 'container', v2: 'container', decode: text };
const metricName: Place = { v1: 'metricName', v2: 'metric.name', decode: text };
const selector: Place = { v1: 'selector', v2: 'metric.selector', decode: labelSelector };
const metricSelector: Place = { ...selector, v1: 'metricSelector' };
const describedObject: Place = { v1: 'target', v2: 'describedObject', decode: reference };

const amount = (v1: string, v2: string): Place => ({ v1, v2, decode: quantity });
const utilization = (v1: string, v2: string): Place => ({ v1, v2, decode: int32 });

const targetUtilization = utilization('targetAverageUtilization', 'target.averageUtilization');
const targetAverage = amount('targetAverageValue', 'target.averageValue');
const targetValue = amount('targetValue', 'target.value');

const has = (object: JsonObject, field: string): boolean => (getOwn(object, field) ?? null) !== null;

const resourceType = (v1: JsonObject): string =>
  has(v1, 'targetAverageUtilization') ? 'Utilization' : 'AverageValue';

/** The forms of `spec.metrics`. */
export const specForms: Forms = tableOf<MetricForm>({
  Object: {
    field: 'object',
    places: [
      describedObject,
      metricName,
      { ...targetValue, zero: '0', unsetBeside: 'averageValue' },
      selector,
      amount('averageValue', 'target.averageValue'),
    ],
    targetType: (v1) => (has(v1, 'averageValue') ? 'AverageValue' : 'Value'),
  },
  Pods: {
    field: 'pods',
    places: [metricName, { ...targetAverage, zero: '0', zeroInV2: true }, selector],
    targetType: () => 'AverageValue',
  },
  Resource: {
    field: 'resource',
    places: [name, targetUtilization, targetAverage],
    targetType: resourceType,
  },
  ContainerResource: {
    field: 'containerResource',
    places: [name, targetUtilization, targetAverage, container],
    targetType: resourceType,
  },
  External: {
    field: 'external',
    places: [metricName, metricSelector, targetValue, targetAverage],
    targetType: (v1) => (has(v1, 'targetValue') ? 'Value' : 'AverageValue'),
  },
});

const currentUtilization = utilization('currentAverageUtilization', 'current.averageUtilization');
const average = amount('currentAverageValue', 'current.averageValue');
const currentAverage: Place = { ...average, zero: '0', zeroInV2: true };
// kube-apiserver keeps a utilization alone if v1's status had it, and reads it from the annotation with an average of 0 later.
const averageOfResource: Place = { ...currentAverage, unsetBeside: 'currentAverageUtilization' };
const currentValue: Place = { ...amount('currentValue', 'current.value'), zero: '0', zeroInV2: true };

/** The forms of `status.currentMetrics`. */
export const statusForms: Forms = tableOf<MetricForm>({
  Object: {
    field: 'object',
    places: [
      describedObject,
      metricName,
      currentValue,
      selector,
      amount('averageValue', 'current.averageValue'),
    ],
  },
  Pods: { field: 'pods', places: [metricName, currentAverage, selector] },
  Resource: { field: 'resource', places: [name, currentUtilization, averageOfResource] },
  ContainerResource: {
    field: 'containerResource',
    places: [name, currentUtilization, averageOfResource, container],
  },
  External: { field: 'external', places: [metricName, metricSelector, currentValue, average] },
});

/** Returns the decoder of a metric of v1. */
export const metricDecoder = (forms: Forms): GoDecoder =>
  struct({
    type: text,
    ...Object.fromEntries(
      forms
        .values()
        .map(({ field, places }) => [
          field,
          struct(Object.fromEntries(places.map(({ v1, decode }) => [v1, decode]))),
        ]),
    ),
  });

/** Converts the source or the status of a metric, the only field besides its type. A metric of an unknown type has no such field. */
function converted(
  forms: Forms,
  metric: JsonValue,
  convert: (source: JsonObject, form: MetricForm) => JsonObject,
): JsonObject {
  const { type = '' } = isObject(metric) ? metric : {};
  const made: JsonObject = { type };
  const form = forms.get(String(type));
  const source = form && isObject(metric) ? getOwn(metric, form.field) : undefined;
  if (form !== undefined && isObject(source)) setOwn(made, form.field, convert(source, form));
  return made;
}

/** Converts a metric from v2 to v1. */
export const metricToV1 = (forms: Forms, metric: JsonValue): JsonObject =>
  converted(forms, metric, sourceToV1);

/** Converts a metric from v1 to v2. */
export const metricToV2 = (forms: Forms, metric: JsonValue): JsonObject =>
  converted(forms, metric, sourceToV2);

function sourceToV1(source: JsonObject, { places }: MetricForm): JsonObject {
  const shown: JsonObject = {};
  for (const { v1, v2, zero, decode } of places) {
    const value = valueAt(source, v2) ?? zero;
    if (value !== undefined) setOwn(shown, v1, decode(value));
  }
  return shown;
}

function sourceToV2(source: JsonObject, { places, targetType }: MetricForm): JsonObject {
  const kept: JsonObject = {};
  if (targetType !== undefined) setOwn(kept, 'target', { type: targetType(source) });
  for (const { v1, v2, zero, zeroInV2, unsetBeside } of places) {
    const value = getOwn(source, v1) ?? (zeroInV2 ? zero : undefined);
    const isUnset = unsetBeside !== undefined && value === zero && has(source, unsetBeside);
    if (value === undefined || isUnset) continue;
    const [holder, field] = v2.split('.') as [string, string?];
    if (field === undefined) setOwn(kept, holder, value);
    else setOwn(kept, holder, { ...objectAt(kept, holder), [field]: value });
  }
  return kept;
}
