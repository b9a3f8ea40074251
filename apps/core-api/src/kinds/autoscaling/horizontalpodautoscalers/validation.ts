import { autoscalerInV2 } from '@annex/kinds';
import {
  errorsInPasses,
  type FieldError,
  fieldErrors,
  FieldPath,
  getOwn,
  isObject,
  type JsonObject,
  type KubeObject,
  type Passes,
  Quantity,
  validateDns1123Label,
  validatePathSegmentName,
} from '@annex/machinery';
import {
  all,
  type Check,
  childOf,
  each,
  fields,
  isMissing,
  objectsOf,
  oneOf,
  required,
  text,
} from '../../shared/checks.ts';
import { nameOfContainerResource } from '../../shared/pod-spec/resources.ts';

const { invalid } = fieldErrors;

const segment: Check = (value, at) =>
  isMissing(value)
    ? [fieldErrors.required(at)]
    : validatePathSegmentName(String(value)).map((why) => invalid(at, value, why));

const apiVersion =
  (needsGroup: boolean): Check =>
  (value, at) => {
    const text = String(value ?? '');
    const parts = text.split('/').length;
    if (parts > 2) return [invalid(at, value, `unexpected GroupVersion string: ${text}`)];
    const hasGroup = parts === 2 && !text.startsWith('/');
    return needsGroup && !hasGroup ? [invalid(at, text, 'apiVersion must specify API group')] : [];
  };

const reference = fields({ kind: segment, name: segment, apiVersion: apiVersion(false) });
const scaleTarget = fields({ kind: segment, name: segment });

const replicas: Check = (value, at) => {
  const { minReplicas = 1, maxReplicas = 0 } = (isObject(value) ? value : {}) as {
    minReplicas?: number;
    maxReplicas?: number;
  };
  const max = at.child('maxReplicas');
  const errors: FieldError[] = [];
  if (minReplicas < 1)
    errors.push(invalid(at.child('minReplicas'), minReplicas, 'must be greater than or equal to 1'));
  if (maxReplicas === 0) errors.push(fieldErrors.required(max, 'must be set and greater than 0'));
  else if (maxReplicas < 1) errors.push(invalid(max, maxReplicas, 'must be greater than or equal to 1'));
  if (maxReplicas < minReplicas)
    errors.push(invalid(max, maxReplicas, 'must be greater than or equal to `minReplicas`'));
  return errors;
};

/** Replicas can be scaled to zero by what is measured elsewhere. */
const scaledToZero: Check = (value, at) => {
  const { minReplicas, metrics } = isObject(value) ? value : {};
  const isFromElsewhere = objectsOf(metrics).some(({ type }) => type === 'Object' || type === 'External');
  if (minReplicas !== 0 || isFromElsewhere) return [];
  const text = 'must specify at least one Object or External metric to support scaling to zero replicas';
  return [fieldErrors.forbidden(at.child('metrics'), text)];
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
  const typeErrors = known ? [] : [invalid(at.child('type'), type ?? '', text)];
  if (isMissing(type))
    typeErrors.unshift(fieldErrors.required(at.child('type'), 'must specify a metric target type'));
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

/** Requires one of two amounts of a target, and perhaps not both. */
const oneAmount =
  (first: string, second: string, missing: string, both?: readonly [field: string, text: string]): Check =>
  (value, at) => {
    const [a, b] = [getOwn(childOf(value, 'target'), first), getOwn(childOf(value, 'target'), second)];
    if (isMissing(a) && isMissing(b)) return [fieldErrors.required(at.child('target', second), missing)];
    if (isMissing(a) || isMissing(b) || both === undefined) return [];
    return [fieldErrors.forbidden(at.child('target', both[0]), both[1])];
  };

const resourceAmount = oneAmount(
  'averageValue',
  'averageUtilization',
  'must set either a target raw value or a target utilization',
  ['averageValue', 'may not set both a target raw value and a target utilization'],
);

const objectAmount = oneAmount('value', 'averageValue', 'must set either a target value or averageValue');

const externalAmount = oneAmount(
  'value',
  'averageValue',
  'must set either a target value for metric or a per-pod target',
  ['value', 'may not set both a target value for metric and a per-pod target'],
);

const averageOnly: Check = (value, at) => {
  const { averageValue } = childOf(value, 'target');
  return isMissing(averageValue)
    ? [
        fieldErrors.required(
          at.child('target', 'averageValue'),
          'must specify a positive target averageValue',
        ),
      ]
    : [];
};

const resourceName = required(undefined, 'must specify a resource name');
const containerResourceName = required(nameOfContainerResource, 'must specify a resource name');
const container = required(text(validateDns1123Label), 'must specify a container');

/** The checks of the source of each metric type. */
const sources: Readonly<Record<string, Check>> = {
  object: all(fields({ describedObject: reference, metric: metricName, target }), objectAmount),
  external: all(fields({ metric: metricName, target }), externalAmount),
  pods: all(fields({ metric: metricName, target }), averageOnly),
  resource: all(fields({ name: resourceName, target }), resourceAmount),
  containerResource: all(fields({ name: containerResourceName, container, target }), resourceAmount),
};

const fieldOf = (type: string): string => type.charAt(0).toLowerCase() + type.slice(1);
const metricTypes = ['ContainerResource', 'External', 'Object', 'Pods', 'Resource'];

const metric: Check = (value, at) => {
  const spec: JsonObject = isObject(value) ? value : {};
  const { type = '' } = spec;
  const path = at.child('type');
  const isKnown = metricTypes.includes(String(type));
  const provided = Object.keys(sources).filter((name) => isObject(getOwn(spec, name)));
  const [first] = provided;
  const expected = fieldOf(String(type));
  const errors = isMissing(type) ? [fieldErrors.required(path, 'must specify a metric source type')] : [];
  // kube-apiserver reports an unknown type twice.
  if (!isKnown) errors.push(fieldErrors.notSupported(path, type, metricTypes));
  if (first !== undefined)
    errors.push(...(getOwn(sources, first)?.(getOwn(spec, first), at.child(first)) ?? []));
  if (!isKnown) errors.push(fieldErrors.notSupported(path, type, metricTypes));
  else if (!provided.includes(expected))
    errors.push(
      fieldErrors.required(at.child(expected), 'must populate information for the given metric source'),
    );
  if (provided.length === 1) return errors;
  const others = provided.filter((name) => name !== expected);
  const only = 'must populate the given metric source only';
  return [...errors, ...others.map((name) => fieldErrors.forbidden(at.child(name), only))];
};

const scalingPolicy: Check = (value, at) => {
  const { value: amount = 0, periodSeconds = 0 } = (isObject(value) ? value : {}) as Record<string, number>;
  const seconds = at.child('periodSeconds');
  return [
    ...oneOf('Percent', 'Pods')((isObject(value) ? value.type : undefined) ?? '', at.child('type')),
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
    ...(Number(window ?? 0) < 0 ? [invalid(where, window, 'must be greater than or equal to zero')] : []),
    ...(Number(window ?? 0) > 3600 ? [invalid(where, window, 'must be less than or equal to 3600')] : []),
    ...oneOf('Disabled', 'Max', 'Min')(value.selectPolicy, at.child('selectPolicy')),
    ...required(each(scalingPolicy), 'must specify at least one Policy')(policies, at.child('policies')),
    ...(isMissing(tolerance) || Quantity.parse(String(tolerance)).sign >= 0
      ? []
      : [invalid(at.child('tolerance'), tolerance, 'must be greater than or equal to 0')]),
  ];
};

/** Only a ReplicationController is scaled without a group. */
const scaledVersion: Check = (value, at) => {
  const { kind, apiVersion: version } = isObject(value) ? value : {};
  return apiVersion(kind !== 'ReplicationController')(version, at.child('apiVersion'));
};

const spec = (target: Check): Check =>
  all(
    replicas,
    fields({ scaleTargetRef: target, metrics: each(metric) }),
    scaledToZero,
    fields({ behavior: fields({ scaleUp: scalingRules, scaleDown: scalingRules }) }),
  );

const withNewTarget = spec(all(scaleTarget, scaledVersion));
const withKnownTarget = spec(scaleTarget);

/** Checks a HorizontalPodAutoscaler in passes. One of v1 is checked as v2, which has all fields: errors name them. */
export function* validateAutoscaler(autoscaler: KubeObject, old?: KubeObject): Passes<FieldError[]> {
  const whole = autoscaler.apiVersion === 'autoscaling/v1' ? yield* autoscalerInV2(autoscaler) : autoscaler;
  const check = old !== undefined && isSameTarget(autoscaler, old) ? withKnownTarget : withNewTarget;
  yield;
  return yield* errorsInPasses(() => check(whole.spec, FieldPath.of('spec')));
}

/** True if an update changes neither the kind nor the version of what is scaled. */
function isSameTarget(autoscaler: KubeObject, old: KubeObject): boolean {
  const [target, before] = [autoscaler, old].map((object) =>
    childOf(childOf(object, 'spec'), 'scaleTargetRef'),
  );
  return target?.kind === before?.kind && (target?.apiVersion ?? '') === (before?.apiVersion ?? '');
}
