import type { FieldPath } from '@annex/machinery';
import {
  errorsOfEach,
  errorsOfMembers,
  type FieldError,
  fieldErrors,
  getOwn,
  isObject,
  type JsonObject,
  repetitions,
  validateDns1123Label,
  validateDns1123Subdomain,
  validateLabelValue,
  validateQualifiedName,
} from '@annex/machinery';
import { type Check, childOf, each, isMissing, objectsOf, oneOf, selector } from '../checks.ts';

const { invalid, required, forbidden } = fieldErrors;

const qualified = (value: unknown, at: FieldPath): FieldError[] =>
  validateQualifiedName(String(value ?? '')).map((why) => invalid(at, value ?? '', why));

/** Checks a toleration. */
export const toleration: Check = (value, at) => {
  const { key, operator, value: text, effect, tolerationSeconds } = isObject(value) ? value : {};
  const errors = isMissing(key) ? [] : qualified(key, at.child('key'));
  const where = at.child('operator');
  if (isMissing(key) && operator !== 'Exists') {
    const why = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
    errors.push(invalid(where, operator ?? '', why));
  }
  if (!isMissing(tolerationSeconds) && effect !== 'NoExecute') {
    const why = "effect must be 'NoExecute' when `tolerationSeconds` is set";
    errors.push(invalid(at.child('effect'), effect ?? '', why));
  }
  if (isMissing(operator) || operator === 'Equal') {
    errors.push(...validateLabelValue(String(text ?? '')).map((why) => invalid(where, text, why)));
  } else if (operator === 'Exists') {
    if (!isMissing(text))
      errors.push(invalid(where, text, "value must be empty when `operator` is 'Exists'"));
  } else errors.push(fieldErrors.notSupported(where, operator, ['Equal', 'Exists']));
  const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];
  return [...errors, ...oneOf(...effects)(effect, at.child('effect'))];
};

/** Checks a requirement about the labels of nodes; those of preferred terms may have invalid values. */
const expression =
  (isStrict: boolean): Check =>
  (value, at) => {
    const { key, operator, values } = isObject(value) ? value : {};
    const list = Array.isArray(values) ? values : [];
    const where = at.child('values');
    return [
      ...operatorErrors(String(operator ?? ''), list, at, where),
      ...qualified(key, at.child('key')),
      ...(isStrict ? each(labelValue)(list, where) : []),
    ];
  };

const labelValue: Check = (value, at) =>
  validateLabelValue(String(value ?? '')).map((why) => invalid(at, value ?? '', why));

const nodeField: Check = (value, at) => {
  const { key, operator, values } = isObject(value) ? value : {};
  const list = Array.isArray(values) ? values : [];
  const only = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
  const counted =
    operator !== 'In' && operator !== 'NotIn'
      ? [invalid(at.child('operator'), operator ?? '', 'not a valid selector operator')]
      : list.length === 1
        ? []
        : [required(at.child('values'), only)];
  return key === 'metadata.name'
    ? [...counted, ...each(nodeName)(list, at.child('values'))]
    : [...counted, invalid(at.child('key'), key ?? '', 'not a valid field selector key')];
};

const nodeName: Check = (value, at) =>
  validateDns1123Subdomain(String(value ?? '')).map((why) => invalid(at, value ?? '', why));

function operatorErrors(operator: string, values: unknown[], at: FieldPath, where: FieldPath): FieldError[] {
  switch (operator) {
    case 'In':
    case 'NotIn':
      return values.length > 0
        ? []
        : [required(where, "must be specified when `operator` is 'In' or 'NotIn'")];
    case 'Exists':
    case 'DoesNotExist':
      return values.length === 0
        ? []
        : [forbidden(where, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
    case 'Gt':
    case 'Lt':
      return values.length === 1
        ? []
        : [required(where, "must be specified single value when `operator` is 'Lt' or 'Gt'")];
    default:
      return [invalid(at.child('operator'), operator, 'not a valid selector operator')];
  }
}

const term =
  (isStrict: boolean): Check =>
  (value, at) =>
    isObject(value)
      ? [
          ...each(expression(isStrict))(value.matchExpressions, at.child('matchExpressions')),
          ...each(nodeField)(value.matchFields, at.child('matchFields')),
        ]
      : [];

/** Checks a selector of nodes with required terms. */
export const nodeSelector = (hard: JsonObject, at: FieldPath): FieldError[] => {
  const terms = at.child('nodeSelectorTerms');
  return objectsOf(hard.nodeSelectorTerms).length === 0
    ? [required(terms, 'must have at least one node selector term')]
    : each(term(true))(hard.nodeSelectorTerms, terms);
};

const weight = (value: unknown, at: FieldPath): FieldError[] =>
  Number(value ?? 0) >= 1 && Number(value) <= 100
    ? []
    : [invalid(at.child('weight'), value ?? 0, 'must be in the range 1-100')];

const requiredTerms = 'requiredDuringSchedulingIgnoredDuringExecution';
const preferredTerms = 'preferredDuringSchedulingIgnoredDuringExecution';

function nodeAffinity(value: JsonObject, at: FieldPath): FieldError[] {
  const hard = value[requiredTerms];
  return [
    ...(isObject(hard) ? nodeSelector(hard, at.child(requiredTerms)) : []),
    ...errorsOfEach(objectsOf(value[preferredTerms]), (item, index) => {
      const where = at.child(preferredTerms).index(index);
      return [...weight(item.weight, where), ...term(false)(item.preference, where.child('preference'))];
    }),
  ];
}

/** Checks the keys of labels that a pod and those that it selects have in common, or not. */
function labelKeys(value: JsonObject, field: string, at: FieldPath): FieldError[] {
  const keys = getOwn(value, field);
  if (!Array.isArray(keys) || keys.length === 0) return [];
  const where = at.child(field);
  return isObject(value.labelSelector)
    ? each(qualified)(keys, where)
    : [forbidden(where, 'must not be specified when labelSelector is not set')];
}

const podTerm: Check = (value, at) => {
  const { labelSelector, namespaceSelector, namespaces, topologyKey } = isObject(value) ? value : {};
  const keys = (field: string) => labelKeys(childOf({ value }, 'value'), field, at);
  const key = at.child('topologyKey');
  return [
    ...selector(labelSelector, at.child('labelSelector')),
    ...selector(namespaceSelector, at.child('namespaceSelector')),
    ...errorsOfEach(Array.isArray(namespaces) ? namespaces : [], (name) =>
      validateDns1123Label(String(name)).map((why) => invalid(at.child('namespace'), name, why)),
    ),
    ...keys('matchLabelKeys'),
    ...keys('mismatchLabelKeys'),
    ...(isMissing(topologyKey) ? [required(key, 'can not be empty')] : []),
    ...qualified(topologyKey, key),
  ];
};

const podAffinity = (value: JsonObject, at: FieldPath): FieldError[] => [
  ...each(podTerm)(value[requiredTerms], at.child(requiredTerms)),
  ...errorsOfEach(objectsOf(value[preferredTerms]), (item, index) => {
    const where = at.child(preferredTerms).index(index);
    return [...weight(item.weight, where), ...podTerm(item.podAffinityTerm, where.child('podAffinityTerm'))];
  }),
];

function spread(constraints: readonly JsonObject[]): Check {
  const repeatedLater = equalToLater(constraints);
  return (value, at) => {
    const { maxSkew, topologyKey, whenUnsatisfiable, minDomains } = isObject(value) ? value : {};
    const errors: FieldError[] = [];
    if (Number(maxSkew ?? 0) <= 0)
      errors.push(invalid(at.child('maxSkew'), maxSkew ?? 0, 'must be greater than zero'));
    if (isMissing(topologyKey)) errors.push(required(at.child('topologyKey'), 'can not be empty'));
    const actions = ['DoNotSchedule', 'ScheduleAnyway'];
    if (!actions.includes(String(whenUnsatisfiable)))
      errors.push(fieldErrors.notSupported(at.child('whenUnsatisfiable'), whenUnsatisfiable, actions));
    if (repeatedLater.has(value)) {
      const both = `{${String(topologyKey)}, ${String(whenUnsatisfiable)}}`;
      errors.push(fieldErrors.duplicate(at.child('{topologyKey, whenUnsatisfiable}'), both));
    }
    if (!isMissing(minDomains)) {
      const where = at.child('minDomains');
      if (Number(minDomains) <= 0) errors.push(invalid(where, minDomains, 'must be greater than zero'));
      if (whenUnsatisfiable !== 'DoNotSchedule') {
        const only = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${String(whenUnsatisfiable)}`;
        errors.push(invalid(where, minDomains, only));
      }
    }
    const constraint = childOf({ value }, 'value');
    const policy = oneOf('Honor', 'Ignore');
    return [
      ...errors,
      ...policy(constraint.nodeAffinityPolicy, at.child('nodeAffinityPolicy')),
      ...policy(constraint.nodeTaintsPolicy, at.child('nodeTaintsPolicy')),
      ...labelKeys(constraint, 'matchLabelKeys', at),
      ...selector(constraint.labelSelector, at.child('labelSelector')),
    ];
  };
}

/** Returns the constraints for which a later one has the same key and action. */
function equalToLater(constraints: readonly JsonObject[]): ReadonlySet<unknown> {
  const fromBehind = constraints
    .toReversed()
    .map(({ topologyKey, whenUnsatisfiable }) => JSON.stringify([topologyKey, whenUnsatisfiable]));
  const repeated = fromBehind.map(repetitions());
  return new Set(constraints.filter((_, index) => repeated[constraints.length - 1 - index]));
}

function gates(spec: JsonObject, at: FieldPath): FieldError[] {
  const list = objectsOf(spec.schedulingGates);
  const isRepeated = repetitions();
  const where = at.child('schedulingGates');
  const errors = errorsOfEach(list, ({ name }, index) => {
    const place = where.index(index);
    const isFirst = !isRepeated(name);
    return [...qualified(name, place), ...(isFirst ? [] : [fieldErrors.duplicate(place, name)])];
  });
  if (list.length === 0 || isMissing(spec.nodeName)) return errors;
  return [
    ...errors,
    forbidden(at.child('nodeName'), 'cannot be set until all schedulingGates have been cleared'),
  ];
}

/** Checks the scheduling constraints of a pod. */
export function podScheduling(spec: JsonObject, at: FieldPath): FieldError[] {
  const affinity = childOf(spec, 'affinity');
  const where = at.child('affinity');
  const constraints = objectsOf(spec.topologySpreadConstraints);
  const selected = at.child('nodeSelector');
  return [
    ...each(toleration)(spec.tolerations, at.child('tolerations')),
    ...errorsOfMembers(childOf(spec, 'nodeSelector'), (name, value) => [
      ...qualified(name, selected),
      ...validateLabelValue(String(value)).map((why) => invalid(selected, value, why)),
    ]),
    ...nodeAffinity(childOf(affinity, 'nodeAffinity'), where.child('nodeAffinity')),
    ...podAffinity(childOf(affinity, 'podAffinity'), where.child('podAffinity')),
    ...podAffinity(childOf(affinity, 'podAntiAffinity'), where.child('podAntiAffinity')),
    ...each(spread(constraints))(constraints, at.child('topologySpreadConstraints')),
    ...gates(spec, at),
    ...errorsOfEach(objectsOf(spec.readinessGates), ({ conditionType }, index) =>
      qualified(conditionType, at.child('readinessGates').index(index).child('conditionType')),
    ),
  ];
}
