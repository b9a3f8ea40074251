import type { FieldPath } from '@annex/machinery';
import {
  errorsOfEach,
  type FieldError,
  fieldErrors,
  getOwn,
  isEmptyObject,
  isObject,
  type JsonObject,
  Quantity,
  validateQualifiedName,
} from '@annex/machinery';
import { type Check, fields, objectsOf } from '../../shared/checks.ts';
import { isStandardResource } from '../../shared/pod-spec/standard-resources.ts';

const { invalid, forbidden } = fieldErrors;

const standardTypes = new Set(['Pod', 'Container', 'PersistentVolumeClaim']);
const bounds = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'] as const;
type Bound = (typeof bounds)[number];

const ofContainers = /^(cpu|memory|ephemeral-storage|hugepages-.*)$/;

function limit(item: JsonObject, at: FieldPath, seen: Set<unknown>): FieldError[] {
  const { type } = item;
  const errors = typeErrors(String(type ?? ''), at.child('type'));
  if (seen.has(type)) errors.push(fieldErrors.duplicate(at.child('type'), type));
  seen.add(type);
  const amounts = Object.fromEntries(
    bounds.map((bound) => [bound, isObject(item[bound]) ? item[bound] : {}]),
  ) as Record<Bound, JsonObject>;
  if (type === 'Pod') {
    for (const bound of ['default', 'defaultRequest'] as const) {
      if (isEmptyObject(amounts[bound])) continue;
      errors.push(forbidden(at.child(bound), "may not be specified when `type` is 'Pod'"));
    }
  }
  // kube-apiserver does not read the defaults of Pods, which it rejects.
  const checked = type === 'Pod' ? bounds.filter((bound) => !bound.startsWith('default')) : bounds;
  for (const bound of checked) {
    for (const name of Object.keys(amounts[bound]))
      errors.push(...nameErrors(name, String(type), at.child(bound).key(name)));
  }
  if (type === 'PersistentVolumeClaim' && !('storage' in amounts.min) && !('storage' in amounts.max)) {
    errors.push(
      fieldErrors.required(
        at.child('limits'),
        'either minimum or maximum storage value is required, but neither was provided',
      ),
    );
  }
  const names = new Set(checked.flatMap((bound) => Object.keys(amounts[bound])));
  return [...errors, ...errorsOfEach([...names], (name) => orderErrors(name, amounts, at))];
}

function typeErrors(type: string, at: FieldPath): FieldError[] {
  const errors = validateQualifiedName(type).map((why) => invalid(at, type, why));
  if (errors.length > 0 || type.includes('/') || standardTypes.has(type)) return errors;
  return [invalid(at, type, 'must be a standard limit type or fully qualified')];
}

function nameErrors(name: string, type: string, at: FieldPath): FieldError[] {
  const errors = validateQualifiedName(name).map((why) => invalid(at, name, why));
  if (name.includes('/')) return errors;
  if (errors.length === 0 && !isStandardResource(name))
    errors.push(invalid(at, name, 'must be a standard resource type or fully qualified'));
  if ((type === 'Container' || type === 'Pod') && !ofContainers.test(name))
    errors.push(invalid(at, name, 'must be a standard resource for containers'));
  return errors;
}

/** Checks that the amounts of one resource are in order: minimum, defaults, maximum. */
function orderErrors(name: string, amounts: Record<Bound, JsonObject>, at: FieldPath): FieldError[] {
  const of = (bound: Bound) => {
    const text = getOwn(amounts[bound], name);
    return text === undefined ? undefined : Quantity.parse(String(text));
  };
  const [max, min, limits, requests] = [of('max'), of('min'), of('default'), of('defaultRequest')];
  const errors: FieldError[] = [];
  const notAbove = (
    low: Quantity | undefined,
    lowName: string,
    high: Quantity | undefined,
    highName: string,
    field: Bound,
    quoted: Bound = field,
  ) => {
    if (low === undefined || high === undefined || low.compare(high) <= 0) return;
    errors.push(
      invalid(
        at.child(field).key(name),
        getOwn(amounts[quoted], name),
        `${lowName} value ${low} is greater than ${highName} value ${high}`,
      ),
    );
  };
  notAbove(min, 'min', max, 'max', 'min');
  notAbove(min, 'min', requests, 'default request', 'defaultRequest');
  notAbove(requests, 'default request', max, 'max', 'defaultRequest');
  notAbove(requests, 'default request', limits, 'default limit', 'defaultRequest');
  notAbove(min, 'min', limits, 'default', 'default', 'min');
  notAbove(limits, 'default', max, 'max', 'default', 'max');
  return [...errors, ...ratioErrors(name, of('maxLimitRequestRatio'), min, max, at)];
}

function ratioErrors(
  name: string,
  ratio: Quantity | undefined,
  min: Quantity | undefined,
  max: Quantity | undefined,
  at: FieldPath,
) {
  if (ratio === undefined) return [];
  const where = at.child('maxLimitRequestRatio').key(name);
  const errors: FieldError[] = [];
  if (ratio.compare(Quantity.of(1)) < 0)
    errors.push(invalid(where, ratio.toString(), `ratio ${ratio} is less than 1`));
  if (min !== undefined && max !== undefined) {
    const most = max.toNumber() / min.toNumber();
    if (ratio.toNumber() > most)
      errors.push(
        invalid(where, ratio.toString(), `ratio ${ratio} is greater than max/min = ${most.toFixed(6)}`),
      );
  }
  return errors;
}

/** Checks the limits of a LimitRange. */
export const validateLimitRange: Check = fields({
  spec: fields({
    limits(value, at) {
      const seen = new Set<unknown>();
      return errorsOfEach(objectsOf(value), (item, index) => limit(item, at.index(index), seen));
    },
  }),
});
