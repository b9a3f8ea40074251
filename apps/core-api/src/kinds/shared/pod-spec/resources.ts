import type { FieldPath } from '@annex/machinery';
import {
  errorsOfEach,
  type FieldError,
  fieldErrors,
  getOwn,
  type JsonObject,
  Quantity,
  validateQualifiedName,
} from '@annex/machinery';
import { type Check, childOf } from '../checks.ts';

const { invalid } = fieldErrors;

/** Checks requests and limits: not negative, and no request above its limit. */
export const quantities: Check = (value, at) => {
  const [limits, requests] = [childOf(value, 'limits'), childOf(value, 'requests')];
  const amounts = (of: JsonObject, path: FieldPath) =>
    errorsOfEach(Object.entries(of), ([name, amount]) =>
      Quantity.parse(String(amount)).sign < 0
        ? [invalid(path.key(name), amount, 'must be greater than or equal to 0')]
        : [],
    );
  const above = errorsOfEach(Object.entries(requests), ([name, amount]) => {
    const limit = getOwn(limits, name);
    if (limit === undefined || Quantity.parse(String(amount)).compare(Quantity.parse(String(limit))) <= 0)
      return [];
    return [
      invalid(
        at.child('requests'),
        amount,
        `must be less than or equal to ${name} limit of ${String(limit)}`,
      ),
    ];
  });
  return [...amounts(limits, at.child('limits')), ...amounts(requests, at.child('requests')), ...above];
};

const ofContainers = /^(cpu|memory|ephemeral-storage|hugepages-.*)$/;

/** Checks the resource names of containers: known names, or those of extended resources. */
export const containerResources: Check = (value, at) => {
  const [limits, requests] = [childOf(value, 'limits'), childOf(value, 'requests')];
  return [
    ...names(limits, at.child('limits')),
    ...names(requests, at.child('requests')),
    ...quantities(value, at),
    ...uncommittable(limits, requests, at),
  ];
};

const names = (amounts: JsonObject, at: FieldPath): FieldError[] =>
  errorsOfEach(Object.entries(amounts), ([name, amount]) => {
    const where = at.key(name);
    const errors = validateQualifiedName(name).map((why) => invalid(where, name, why));
    if (!name.includes('/') && !ofContainers.test(name)) {
      if (errors.length === 0)
        errors.push(invalid(where, name, 'must be a standard resource type or fully qualified'));
      errors.push(invalid(where, name, 'must be a standard resource for containers'));
    }
    const isWhole = !name.includes('/') || Quantity.parse(String(amount)).scaledValue(-3) % 1000n === 0n;
    return isWhole ? errors : [...errors, invalid(where, amount, 'must be an integer')];
  });

/** Checks resources that cannot be overcommitted: their request must equal their limit. */
function uncommittable(limits: JsonObject, requests: JsonObject, at: FieldPath): FieldError[] {
  const isHuge = (name: string) => name.startsWith('hugepages-');
  const requested = Object.keys(requests);
  const huge = requested.some(isHuge) || Object.keys(limits).some(isHuge);
  const errors = errorsOfEach(requested, (name) =>
    (name.includes('/') || isHuge(name)) && getOwn(limits, name) === undefined
      ? [fieldErrors.required(at.child('limits'), 'Limit must be set for non overcommitable resources')]
      : [],
  );
  const names = (name: string) => Object.hasOwn(limits, name) || Object.hasOwn(requests, name);
  if (!huge || names('cpu') || names('memory')) return errors;
  return [...errors, fieldErrors.forbidden(at, 'HugePages require cpu or memory')];
}
