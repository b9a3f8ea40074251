import type { FieldPath } from '@annex/machinery';
import {
  errorsOfEach,
  type FieldError,
  fieldErrors,
  getOwn,
  type JsonObject,
  type JsonValue,
  Quantity,
  validateQualifiedName,
} from '@annex/machinery';
import { type Check, childOf } from '../checks.ts';
import { isExtendedResource, isNativeResource, isStandardResource } from './standard-resources.ts';

const { invalid } = fieldErrors;

/** Checks requests and limits: not negative, and no request above its limit. */
export const quantities: Check = (value, at) => quantityErrors(resourcesOf(value), at);

/** Limits and requests; their entries are listed once, because a body may fill one of them. */
interface Resources {
  limits: JsonObject;
  requests: JsonObject;
  limited: Amounts;
  requested: Amounts;
}

type Amounts = readonly [name: string, amount: JsonValue][];

function resourcesOf(value: unknown): Resources {
  const [limits, requests] = [childOf(value, 'limits'), childOf(value, 'requests')];
  return { limits, requests, limited: Object.entries(limits), requested: Object.entries(requests) };
}

function quantityErrors({ limits, limited, requested }: Resources, at: FieldPath): FieldError[] {
  const negative = (amounts: Amounts, path: FieldPath) =>
    errorsOfEach(amounts, ([name, amount]) =>
      Quantity.parse(String(amount)).sign < 0
        ? [invalid(path.key(name), amount, 'must be greater than or equal to 0')]
        : [],
    );
  const above = errorsOfEach(requested, ([name, amount]) => {
    const limit = getOwn(limits, name);
    if (limit === undefined) return [];
    const order = Quantity.parse(String(amount)).compare(Quantity.parse(String(limit)));
    const mayBeLess = isNativeResource(name) && !isHugePage(name);
    if (order === 0 || (order < 0 && mayBeLess)) return [];
    const what = mayBeLess ? 'less than or equal to' : 'equal to';
    return [invalid(at.child('requests'), amount, `must be ${what} ${name} limit of ${String(limit)}`)];
  });
  return [...negative(limited, at.child('limits')), ...negative(requested, at.child('requests')), ...above];
}

const isHugePage = (name: string): boolean => name.startsWith('hugepages-');

const ofContainers = /^(cpu|memory|ephemeral-storage|hugepages-.*)$/;

/** Checks the resource names of containers: known names, or those of extended resources. */
export const containerResources: Check = (value, at) => {
  const resources = resourcesOf(value);
  return [
    ...names(resources.limited, at.child('limits')),
    ...names(resources.requested, at.child('requests')),
    ...quantityErrors(resources, at),
    ...limitErrors(resources, at),
  ];
};

const names = (amounts: Amounts, at: FieldPath): FieldError[] =>
  errorsOfEach(amounts, ([name, amount]) => {
    const where = at.key(name);
    const errors = nameOfContainerResource(name, where);
    const isWhole =
      !isExtendedResource(name) || Quantity.parse(String(amount)).scaledValue(-3) % 1000n === 0n;
    return isWhole ? errors : [...errors, invalid(where, amount, 'must be an integer')];
  });

/** Checks resources that cannot be overcommitted: their request must equal their limit. */
export const uncommittable: Check = (value, at) => limitErrors(resourcesOf(value), at);

function limitErrors({ limits, requests, limited, requested }: Resources, at: FieldPath): FieldError[] {
  const huge = [requested, limited].some((amounts) => amounts.some(([name]) => isHugePage(name)));
  const errors = errorsOfEach(requested, ([name]) =>
    (!isNativeResource(name) || isHugePage(name)) && getOwn(limits, name) === undefined
      ? [fieldErrors.required(at.child('limits'), 'Limit must be set for non overcommitable resources')]
      : [],
  );
  const names = (name: string) => Object.hasOwn(limits, name) || Object.hasOwn(requests, name);
  if (!huge || names('cpu') || names('memory')) return errors;
  return [...errors, fieldErrors.forbidden(at, 'HugePages require cpu or memory')];
}

/** Checks the name of a resource of containers. */
export const nameOfContainerResource: Check = (value, at) => {
  const name = String(value);
  const errors = validateQualifiedName(name).map((why) => invalid(at, name, why));
  if (name.includes('/')) {
    if (!isNativeResource(name) && !isExtendedResource(name))
      errors.push(invalid(at, name, "doesn't follow extended resource name standard"));
    return errors;
  }
  if (ofContainers.test(name)) return errors;
  if (errors.length === 0 && !isStandardResource(name))
    errors.push(invalid(at, name, 'must be a standard resource type or fully qualified'));
  return [...errors, invalid(at, name, 'must be a standard resource for containers')];
};
