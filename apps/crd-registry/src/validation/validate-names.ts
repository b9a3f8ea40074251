import {
  type FieldError,
  fieldErrors,
  type FieldPath,
  validateDns1035Label,
  pushAll,
} from '@annex/machinery';
import type { CrdNames } from '../crd/crd.ts';

const { invalid } = fieldErrors;
const mixedCase = 'may have mixed case, but should otherwise match: ';

/** Validates the syntax of `spec.names` or `status.acceptedNames`. */
export function validateNames(names: CrdNames, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  for (const field of ['plural', 'singular'] as const) {
    const value = names[field] ?? '';
    const problems = value === '' ? [] : validateDns1035Label(value);
    if (problems.length > 0) errors.push(invalid(path.child(field), value, problems.join(',')));
  }
  for (const field of ['kind', 'listKind'] as const) {
    const value = names[field] ?? '';
    const problems = value === '' ? [] : validateDns1035Label(value.toLowerCase());
    if (problems.length > 0) errors.push(invalid(path.child(field), value, mixedCase + problems.join(',')));
  }
  pushAll(errors, labels(names.shortNames, path.child('shortNames')));
  if (names.kind !== '' && names.kind === names.listKind) {
    errors.push(invalid(path.child('listKind'), names.listKind, 'kind and listKind may not be the same'));
  }
  return [...errors, ...labels(names.categories, path.child('categories'))];
}

function labels(values: readonly string[] = [], path: FieldPath): FieldError[] {
  return values.flatMap((value, i) => {
    const errors = validateDns1035Label(value);
    return errors.length === 0 ? [] : [invalid(path.index(i), value, errors.join(','))];
  });
}
