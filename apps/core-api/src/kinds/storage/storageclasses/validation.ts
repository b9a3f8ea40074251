import {
  deepEqual,
  type FieldError,
  fieldErrors,
  type JsonObject,
  validateQualifiedName,
} from '@annex/machinery';
import { type Check, fields, isMissing, objectsOf, oneOf, present, required } from '../../shared/checks.ts';
import { validateDriverName, validateParameters } from '../shared/validation.ts';

const { invalid, duplicate } = fieldErrors;

const values: Check = required((value, at) => {
  const list = (Array.isArray(value) ? value : []).map((item) => String(item ?? ''));
  return list.flatMap((item, index) =>
    list.indexOf(item) < index ? [duplicate(at.index(index), item)] : [],
  );
});

const term: Check = (value, at) => {
  const keys = new Set<string>();
  return objectsOf((value as JsonObject).matchLabelExpressions).flatMap(({ key, values: list }, index) => {
    const where = at.child('matchLabelExpressions').index(index);
    const name = String(key ?? '');
    const isFirst = !keys.has(name);
    keys.add(name);
    return [
      ...values(list, where.child('values')),
      ...validateQualifiedName(name).map((why) => invalid(where.child('key'), name, why)),
      ...(isFirst ? [] : [duplicate(where.child('key'), name)]),
    ];
  });
};

/** Returns the sets of values by key, which make a term equal to another one. */
const setsOf = ({ matchLabelExpressions }: JsonObject): JsonObject =>
  Object.fromEntries(
    objectsOf(matchLabelExpressions).map(({ key, values: list }) => [
      String(key ?? ''),
      (Array.isArray(list) ? list.map(String) : []).sort(),
    ]),
  );

const topologies: Check = (value, at) => {
  const terms = objectsOf(value);
  return terms.flatMap((one, index): FieldError[] => {
    const where = at.index(index);
    const sets = setsOf(one);
    // kube-apiserver also refuses a term without expressions.
    const isEmpty = Object.keys(sets).length === 0;
    const isRepeated = terms.slice(0, index).some((earlier) => deepEqual(setsOf(earlier), sets));
    const repeated = isEmpty || isRepeated ? [duplicate(where.child('matchLabelExpressions'), '')] : [];
    return [...term(one, where), ...repeated];
  });
};

/** An empty policy is accepted. */
const reclaimPolicy: Check = (value, at) => (isMissing(value) ? [] : oneOf('Delete', 'Retain')(value, at));

/** Checks a StorageClass. */
export const validateStorageClass: Check = fields({
  provisioner: required(validateDriverName),
  parameters: validateParameters,
  reclaimPolicy,
  volumeBindingMode: present(oneOf('Immediate', 'WaitForFirstConsumer')),
  allowedTopologies: topologies,
});
