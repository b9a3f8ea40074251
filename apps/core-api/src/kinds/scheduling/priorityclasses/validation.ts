import { type FieldError, fieldErrors, getOwn, isObject } from '@annex/machinery';
import { type Check, childOf, oneOf, required } from '../../shared/checks.ts';
import { immutable } from '../../shared/immutable-fields.ts';

const highestUserPriority = 1000000000;

/** The built-in classes with their priorities. */
export const systemClasses: Readonly<Record<string, number>> = {
  'system-cluster-critical': 2000000000,
  'system-node-critical': 2000001000,
};

/** Checks a PriorityClass. */
export const validatePriorityClass: Check = (value, at) => {
  const object = (isObject(value) ? value : {}) as { metadata?: { name?: string }; value?: number };
  const { name = '' } = object.metadata ?? {};
  const errors: FieldError[] = [];
  const known = getOwn(systemClasses, name);
  if (name.startsWith('system-') && known !== object.value) {
    const text =
      "priority class names with 'system-' prefix are reserved for system use only. error: " +
      (known === undefined
        ? `${name} is not a known system priority class`
        : `value of ${name} PriorityClass must be ${known}`);
    errors.push(fieldErrors.forbidden(at.child('metadata', 'name'), text));
  } else if (known === undefined && Number(object.value ?? 0) > highestUserPriority) {
    const text = `maximum allowed value of a user defined priority is ${highestUserPriority}`;
    errors.push(fieldErrors.forbidden(at.child('value'), text));
  }
  return [
    ...errors,
    ...required(oneOf('PreemptLowerPriority', 'Never'))(
      childOf({ value }, 'value').preemptionPolicy,
      at.child('preemptionPolicy'),
    ),
  ];
};

/** Checks that an update does not change immutable fields. */
export const validatePriorityClassUpdate = immutable(
  { path: 'value', text: 'may not be changed in an update.' },
  'preemptionPolicy',
);
