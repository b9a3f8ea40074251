import type { FieldPath } from '@annex/machinery';
import {
  errorsOfEach,
  errorsOfMembers,
  type FieldError,
  fieldErrors,
  getOwn,
  isObject,
  type JsonObject,
  Quantity,
  validateQualifiedName,
} from '@annex/machinery';
import { childOf, objectsOf } from '../checks.ts';
import { quantities, uncommittable } from './resources.ts';
import { isStandardResource } from './standard-resources.ts';

const { invalid } = fieldErrors;

/** Resources that a pod can have as a whole; and those that begin with the last one. */
const supported = ['cpu', 'hugepages-', 'memory'];
const isSupported = (name: string) => name === 'cpu' || name === 'memory' || name.startsWith('hugepages-');

/** Checks the resources of a whole pod: they are not less than those of its containers. */
export function podResources(spec: JsonObject, at: FieldPath): FieldError[] {
  const { resources } = spec;
  if (!isObject(resources)) return [];
  if (childOf(spec, 'os').name === 'windows')
    return [fieldErrors.forbidden(at, 'may not be set for a windows pod')];
  return [
    ...(resources.claims === undefined
      ? []
      : [fieldErrors.forbidden(at.child('claims'), 'claims may not be set for Resources at pod-level')]),
    ...nameErrors(childOf(resources, 'limits'), at.child('limits')),
    ...nameErrors(childOf(resources, 'requests'), at.child('requests')),
    ...quantities(resources, at),
    ...uncommittable(resources, at),
    ...sumErrors(spec, childOf(resources, 'requests'), at.child('requests')),
    ...limitErrors(spec, childOf(resources, 'limits'), at),
  ];
}

const nameErrors = (amounts: JsonObject, at: FieldPath): FieldError[] =>
  errorsOfMembers(amounts, (name) => {
    const where = at.key(name);
    const errors = validateQualifiedName(name).map((why) => invalid(where, name, why));
    if (errors.length > 0 || isSupported(name)) return errors;
    if (!name.includes('/') && !isStandardResource(name))
      return [invalid(where, name, 'must be a standard resource type or fully qualified')];
    return [fieldErrors.notSupported(where, name, supported)];
  });

function sumErrors(spec: JsonObject, requests: JsonObject, at: FieldPath): FieldError[] {
  return errorsOfMembers(requests, (name, amount) => {
    const needed = neededBy(spec, name);
    if (needed === undefined || needed.compare(Quantity.parse(String(amount))) <= 0) return [];
    const text = `must be greater than or equal to aggregate container requests of ${needed.toString()}`;
    return [invalid(at.key(name), amount, text)];
  });
}

/** Returns what the containers request at the most at a time; `undefined` if none names the resource. */
function neededBy(spec: JsonObject, name: string): Quantity | undefined {
  let sum: Quantity | undefined;
  let sidecars: Quantity | undefined;
  let most: Quantity | undefined;
  const requested = (container: JsonObject): Quantity | undefined => {
    const amount = getOwn(childOf(childOf(container, 'resources'), 'requests'), name);
    return amount === undefined ? undefined : Quantity.parse(String(amount));
  };
  for (const container of objectsOf(spec.containers)) sum = added(sum, requested(container));
  for (const container of objectsOf(spec.initContainers)) {
    const own = requested(container);
    let concurrent = added(sidecars, own);
    if (container.restartPolicy === 'Always') {
      sum = added(sum, own);
      concurrent = sidecars = added(sidecars, own);
    }
    most = greater(most, concurrent);
  }
  return greater(sum, most);
}

const added = (left: Quantity | undefined, right: Quantity | undefined): Quantity | undefined =>
  left === undefined || right === undefined ? (left ?? right) : left.add(right);

const greater = (left: Quantity | undefined, right: Quantity | undefined): Quantity | undefined =>
  left === undefined || right === undefined ? (left ?? right) : left.compare(right) < 0 ? right : left;

function limitErrors(spec: JsonObject, limits: JsonObject, at: FieldPath): FieldError[] {
  return errorsOfEach(objectsOf(spec.containers), (container, index) =>
    errorsOfMembers(childOf(childOf(container, 'resources'), 'limits'), (name, amount) => {
      const limit = getOwn(limits, name);
      if (limit === undefined) return [];
      if (Quantity.parse(String(amount)).compare(Quantity.parse(String(limit))) <= 0) return [];
      const where = at.child('containers').index(index).key(name).child('limits');
      return [invalid(where, amount, `must be less than or equal to pod limits of ${String(limit)}`)];
    }),
  );
}
