import {
  errorsOfEach,
  type FieldError,
  fieldErrors,
  type JsonObject,
  repetitions,
  validateQualifiedName,
} from '@annex/machinery';
import { type Check, fields, isMissing, objectsOf, oneOf, present, required } from '../../shared/checks.ts';
import { validateDriverName, validateParameters } from '../shared/validation.ts';

const { invalid, duplicate } = fieldErrors;

const values: Check = required((value, at) => {
  const list = (Array.isArray(value) ? value : []).map((item) => String(item ?? ''));
  const isRepeated = repetitions();
  return errorsOfEach(list, (item, index) => (isRepeated(item) ? [duplicate(at.index(index), item)] : []));
});

const term: Check = (value, at) => {
  const isRepeated = repetitions();
  return errorsOfEach(
    objectsOf((value as JsonObject).matchLabelExpressions),
    ({ key, values: list }, index) => {
      const where = at.child('matchLabelExpressions').index(index);
      const name = String(key ?? '');
      const isFirst = !isRepeated(name);
      return [
        ...values(list, where.child('values')),
        ...validateQualifiedName(name).map((why) => invalid(where.child('key'), name, why)),
        ...(isFirst ? [] : [duplicate(where.child('key'), name)]),
      ];
    },
  );
};

/** Returns a text of the values by key: two terms with the same are equal. It is empty without expressions. */
function setsOf({ matchLabelExpressions }: JsonObject): string {
  const sets = new Map(
    objectsOf(matchLabelExpressions).map(({ key, values: list }) => [
      String(key ?? ''),
      (Array.isArray(list) ? list.map(String) : []).sort(),
    ]),
  );
  return sets.size === 0 ? '' : JSON.stringify([...sets].sort(([a], [b]) => (a < b ? -1 : 1)));
}

const topologies: Check = (value, at) => {
  const terms = objectsOf(value);
  const isRepeated = repetitions();
  return errorsOfEach(terms, (one, index): FieldError[] => {
    const where = at.index(index);
    const sets = setsOf(one);
    // kube-apiserver also refuses a term without expressions.
    const repeated =
      sets === '' || isRepeated(sets) ? [duplicate(where.child('matchLabelExpressions'), '')] : [];
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
