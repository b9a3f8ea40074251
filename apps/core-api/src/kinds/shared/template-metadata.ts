import {
  emptyFieldOf,
  fieldErrors,
  getOwn,
  isObject,
  validateAnnotations,
  validateLabels,
} from '@annex/machinery';
import { type Check, childOf } from './checks.ts';

/** The fields of metadata that templates do not have, in the order of Go's type. */
const otherFields = [
  ...['name', 'generateName', 'namespace', 'selfLink', 'uid', 'resourceVersion', 'generation'],
  ...['creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds'],
  ...['ownerReferences', 'finalizers', 'managedFields'],
];

type Texts = Record<string, string>;

/** Checks the metadata of a template: it has labels and annotations only. */
export const templateMetadata: Check = (value, at) => {
  if (!isObject(value)) return [];
  const set = otherFields.filter(
    (name) => (getOwn(value, name) ?? emptyFieldOf(value, name) ?? null) !== null,
  );
  return [
    ...validateAnnotations(childOf(value, 'annotations') as unknown as Texts, at.child('annotations')),
    ...validateLabels(childOf(value, 'labels') as unknown as Texts, at.child('labels')),
    ...set.map((name) => fieldErrors.forbidden(at.child(name === 'uid' ? 'uID' : name), 'cannot be set')),
  ];
};
