import type { FieldPath } from '@annex/machinery';
import {
  type FieldError,
  fieldErrors,
  getOwn,
  isObject,
  type JsonObject,
  Quantity,
  validatePathSegmentName,
} from '@annex/machinery';
import {
  all,
  type Check,
  childOf,
  each,
  fields,
  isMissing,
  nonNegative,
  objectsOf,
  oneOf,
  required,
} from '../../shared/checks.ts';

const { invalid } = fieldErrors;

const segment: Check = (value, at) =>
  isMissing(value)
    ? [fieldErrors.required(at)]
    : validatePathSegmentName(String(value)).map((why) => invalid(at, value, why));

const apiVersion: Check = (value, at) =>
  String(value ?? '').split('/').length > 2
    ? [invalid(at, value, `unexpected GroupVersion string: ${String(value)}`)]
    : [];

const reference = fields({ kind: segment, name: segment, apiVersion });

const replicas: Check = (value, at) => {
  const {
    minReplicas = 1,
    maxReplicas = 0,
    metrics,
  } = (isObject(value) ? value : {}) as {
    minReplicas?: number;
    maxReplicas?: number;
    metrics?: unknown;
  };
  const max = at.child('maxReplicas');
  const errors: FieldError[] = [];
  if (minReplicas < 1)
    errors.push(invalid(at.child('minReplicas'), minReplicas, 'must be greater than or equal to 1'));
  if (maxReplicas === 0) errors.push(fieldErrors.required(max, 'must be set and greater than 0'));
  else if (maxReplicas < 1) errors.push(invalid(max, maxReplicas, 'must be greater than or equal to 1'));
  if (maxReplicas < minReplicas)
    errors.push(invalid(max, maxReplicas, 'must be greater than or equal to `minReplicas`'));
  if (minReplicas === 0 && !objectsOf(metrics).some(({ type }) => type === 'Object' || type === 'External')) {
    const text = 'must specify at least one Object or External metric to support scaling to zero replicas';
    errors.push(fieldErrors.forbidden(at.child('metrics'), text));
  }
  return errors;
};

const positive = (value: unknown, at: FieldPath): FieldError[] =>
  isMissing(value) || Quantity.parse(String(value)).sign > 0 ? [] : [invalid(at, value, 'must be positive')];

const utilization: Check = (value, at) =>
  typeof value === 'number' && value < 1 ? [invalid(at, value, 'must be greater than 0')] : [];

const targetTypes = ['Utilization', 'Value', 'AverageValue'];

const target: Check = (value, at) => {
  const { type, value: raw, averageValue, averageUtilization } = isObject(value) ? value : {};
  const known = targetTypes.includes(String(type ?? ''));
  const text = 'must be either Utilization, Value, or AverageValue';
  const typeErrors = isMissing(type)
    ? [fieldErrors.required(at.child('type'), 'must specify a metric target type')]
    : known
      ? []
      : [invalid(at.child('type'), type, text)];
  return [
    ...typeErrors,
    ...positive(raw, at.child('value')),
    ...positive(averageValue, at.child('averageValue')),
    ...utilization(averageUtilization, at.child('averageUtilization')),
  ];
};

const metricName = fields({
  name: (value, at) =>
    isMissing(value)
      ? [fieldErrors.required(at, 'must specify a metric name')]
      : validatePathSegmentName(String(value)).map((why) => invalid(at, value, why)),
});

/** Requires exactly one of two amounts. */
const oneAmount =
  (first: string, second: string, missing: string, both: string): Check =>
  (value, at) => {
    const [a, b] = [getOwn(childOf(value, 'target'), first), getOwn(childOf(value, 'target'), second)];
    const place = at.child('target', second);
    if (isMissing(a) && isMissing(b)) return [fieldErrors.required(place, missing)];
    return isMissing(a) || isMissing(b) ? [] : [fieldErrors.forbidden(place, both)];
  };

const resourceAmount = oneAmount(
  'averageValue',
  'averageUtilization',
  'must set either a target raw value or a target utilization',
  'may not set both a target raw value and a target utilization',
);

const plainAmount = oneAmount(
  'value',
  'averageValue',
  'must set either a target value or averageValue',
  'may not set both a target averageValue and a target value',
);

const averageOnly: Check = (value, at) => {
  const { averageValue } = childOf(value, 'target');
  return isMissing(averageValue) || Quantity.parse(String(averageValue)).sign < 1
    ? [
        fieldErrors.required(
          at.child('target', 'averageValue'),
          'must specify a positive target averageValue',
        ),
      ]
    : [];
};

const resourceName = required(undefined, 'must specify a resource name');
const container = required(undefined, 'must specify a container');

/** The checks of the source of each metric type. */
const sources: Readonly<Record<string, Check>> = {
  containerResource: all(fields({ name: resourceName, container, target }), resourceAmount),
  external: all(fields({ metric: metricName, target }), plainAmount),
  object: all(fields({ describedObject: reference, metric: metricName, target }), plainAmount),
  pods: all(fields({ metric: metricName, target }), averageOnly),
  resource: all(fields({ name: resourceName, target }), resourceAmount),
};

const fieldOf = (type: string): string => type.charAt(0).toLowerCase() + type.slice(1);
const metricTypes = ['ContainerResource', 'External', 'Object', 'Pods', 'Resource'];

const metric: Check = (value, at) => {
  const spec: JsonObject = isObject(value) ? value : {};
  const { type } = spec;
  if (isMissing(type)) return [fieldErrors.required(at.child('type'), 'must specify a metric source type')];
  const known = metricTypes.includes(String(type));
  const errors = known ? [] : [fieldErrors.notSupported(at.child('type'), type, metricTypes)];
  const provided = Object.keys(sources).filter((name) => isObject(getOwn(spec, name)));
  const expected = fieldOf(String(type));
  if (!provided.includes(expected)) {
    const missing = known
      ? fieldErrors.required(at.child(expected), 'must populate information for the given metric source')
      : fieldErrors.notSupported(at.child('type'), type, metricTypes);
    errors.push(missing);
  }
  if (provided.length !== 1) {
    const text = 'must populate the given metric source only';
    const others = provided.filter((name) => name !== expected);
    errors.push(...others.map((name) => fieldErrors.forbidden(at.child(name), text)));
  }
  return [
    ...errors,
    ...provided.flatMap((name) => getOwn(sources, name)?.(getOwn(spec, name), at.child(name)) ?? []),
  ];
};

const scalingPolicy: Check = (value, at) => {
  const { value: amount = 0, periodSeconds = 0 } = (isObject(value) ? value : {}) as Record<string, number>;
  const seconds = at.child('periodSeconds');
  return [
    ...required(oneOf('Percent', 'Pods'))(isObject(value) ? value.type : undefined, at.child('type')),
    ...(amount <= 0 ? [invalid(at.child('value'), amount, 'must be greater than zero')] : []),
    ...(periodSeconds <= 0 ? [invalid(seconds, periodSeconds, 'must be greater than zero')] : []),
    ...(periodSeconds > 1800 ? [invalid(seconds, periodSeconds, 'must be less than or equal to 1800')] : []),
  ];
};

const scalingRules: Check = (value, at) => {
  if (!isObject(value)) return [];
  const { stabilizationWindowSeconds: window, policies, tolerance } = value;
  const where = at.child('stabilizationWindowSeconds');
  return [
    ...nonNegative(window, where),
    ...(Number(window ?? 0) > 3600 ? [invalid(where, window, 'must be less than or equal to 3600')] : []),
    ...oneOf('Disabled', 'Max', 'Min')(value.selectPolicy, at.child('selectPolicy')),
    ...required(each(scalingPolicy), 'must specify at least one Policy')(policies, at.child('policies')),
    ...(isMissing(tolerance) || Quantity.parse(String(tolerance)).sign >= 0
      ? []
      : [invalid(at.child('tolerance'), tolerance, 'must be greater than or equal to 0')]),
  ];
};

/** The spec of a HorizontalPodAutoscaler. */
export const validateAutoscaler: Check = all(
  replicas,
  fields({
    scaleTargetRef: reference,
    metrics: each(metric),
    behavior: fields({ scaleUp: scalingRules, scaleDown: scalingRules }),
  }),
);
