import {
  deepEqual,
  type FieldError,
  fieldErrors,
  FieldPath,
  getOwn,
  isObject,
  type JsonObject,
  type KubeObject,
  setOwn,
} from '@annex/machinery';
import { childOf, objectsOf } from '../../shared/checks.ts';
import { qosClass } from './quality-of-service.ts';
import { isStatic } from './static-pods.ts';
import { validatePod } from './validation.ts';

const { forbidden } = fieldErrors;
const spec = FieldPath.of('spec');
const lists = ['containers', 'initContainers'] as const;
const resizable = ['cpu', 'memory'];
const bounds = ['requests', 'limits'] as const;

/** Checks a write of the resources of a pod: only amounts of CPU and memory change, and none is removed. */
export function validateResize(pod: KubeObject, old: KubeObject): FieldError[] {
  const [after, before] = [childOf(pod, 'spec'), childOf(old, 'spec')];
  if (isStatic(old)) return [forbidden('[]', 'static pods cannot be resized')];
  if (childOf(before, 'os').name === 'windows') return [forbidden('[]', 'windows pods cannot be resized')];
  const errors = [
    ...validatePod(pod),
    ...classErrors(after, old),
    ...supportErrors(old),
    ...podErrors(after, before),
  ];
  const order = lists.flatMap((list) => orderErrors(list, objectsOf(after[list]), objectsOf(before[list])));
  if (order.length > 0) return [...errors, ...order];
  for (const list of ['initContainers', 'containers'] as const) {
    for (const [index, container] of objectsOf(before[list]).entries()) {
      const resources = childOf(objectsOf(after[list])[index], 'resources');
      const at = spec.child(list).index(index).child('resources');
      errors.push(...removedErrors(resources, childOf(container, 'resources'), at, 'resource'));
    }
  }
  errors.push(
    ...lists.flatMap((list) => changeErrors(list, objectsOf(after[list]), objectsOf(before[list]))),
  );
  return errors;
}

function classErrors(after: JsonObject, old: KubeObject): FieldError[] {
  const { qosClass: before } = childOf(old, 'status');
  if (qosClass(after) === (before ?? qosClass(childOf(old, 'spec')))) return [];
  return [fieldErrors.invalid(spec, before ?? '', 'Pod QOS Class may not change as a result of resizing')];
}

function supportErrors(old: KubeObject): FieldError[] {
  const running = objectsOf(childOf(old, 'status').containerStatuses).find(({ state }) =>
    isObject(childOf({ state }, 'state').running),
  );
  return running === undefined || running.resources !== undefined
    ? []
    : [forbidden(spec, 'Pod running on node without support for resize')];
}

/** Checks the resources of the whole pod. */
function podErrors(after: JsonObject, before: JsonObject): FieldError[] {
  const at = spec.child('resources');
  const [resources, old] = [after.resources, before.resources];
  if (!isObject(old)) {
    const others = isObject(resources) && withAmounts(resources, {});
    return others && !isEmpty(others) ? [forbidden(spec, podText)] : [];
  }
  if (!isObject(resources)) return [forbidden(at, 'pod-level resources cannot be removed')];
  return [
    ...removedErrors(resources, old, at, 'pod-level resource'),
    ...(isEqual(withAmounts(resources, old), old) ? [] : [forbidden(spec, podText)]),
  ];
}

const podText = 'only cpu and memory resources are mutable at pod-level';

const isEmpty = (resources: JsonObject): boolean =>
  Object.values(resources).every((value) => isObject(value) && Object.keys(value).length === 0);

function orderErrors(
  list: string,
  after: readonly JsonObject[],
  before: readonly JsonObject[],
): FieldError[] {
  const at = spec.child(list);
  if (after.length !== before.length) return [forbidden(at, `${list} may not be added or removed on resize`)];
  return before.flatMap(({ name }, index) =>
    after[index]?.name === name
      ? []
      : [forbidden(at.index(index).child('name'), `${list} may not be renamed or reordered on resize`)],
  );
}

function removedErrors(after: JsonObject, before: JsonObject, at: FieldPath, what: string): FieldError[] {
  return bounds.flatMap((bound) => {
    const [amounts, old] = [childOf(after, bound), childOf(before, bound)];
    const isRemoved = Object.keys(old).some((name) => !Object.hasOwn(amounts, name));
    return isRemoved ? [forbidden(at.child(bound), `${what} ${bound} cannot be removed`)] : [];
  });
}

/** Reports containers that differ in more than amounts of CPU and memory. */
function changeErrors(
  list: (typeof lists)[number],
  after: readonly JsonObject[],
  before: readonly JsonObject[],
): FieldError[] {
  return after.flatMap((container, index) => {
    const old = before[index] as JsonObject;
    const restored = {
      ...container,
      resources: withAmounts(childOf(container, 'resources'), childOf(old, 'resources')),
    };
    const isAllowed = isEqual(restored, { ...old, resources: childOf(old, 'resources') });
    const at = list === 'containers' ? spec : spec.child(list).index(index);
    const text =
      list === 'containers'
        ? 'only cpu and memory resources are mutable'
        : 'only cpu and memory resources for init or sidecar containers are mutable';
    return isAllowed ? [] : [forbidden(at, text)];
  });
}

/** Returns resources with the previous amounts of CPU and memory. */
function withAmounts(resources: JsonObject, old: JsonObject): JsonObject {
  const restored: JsonObject = {};
  for (const bound of bounds) {
    const amounts = { ...childOf(resources, bound) };
    for (const name of resizable) {
      const before = getOwn(childOf(old, bound), name);
      if (before === undefined) delete amounts[name];
      else setOwn(amounts, name, before);
    }
    if (Object.keys(amounts).length > 0) restored[bound] = amounts;
  }
  return restored;
}

const isEqual = (left: unknown, right: unknown): boolean => deepEqual(left, right);
