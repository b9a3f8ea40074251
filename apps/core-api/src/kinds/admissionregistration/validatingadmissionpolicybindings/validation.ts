import type { FieldPath } from '@annex/machinery';
import { errorsOfEach, fieldErrors, repetitions } from '@annex/machinery';
import { type Check, fields, oneOf, required } from '../../shared/checks.ts';
import { bindingFields } from '../shared/bindings.ts';
import { strings } from '../shared/rules.ts';

const { invalid } = fieldErrors;

const actions: Check = (value: unknown, at: FieldPath) => {
  const list = strings(value);
  const isRepeated = repetitions();
  const errors = errorsOfEach(list, (action, index) => [
    ...oneOf('Audit', 'Deny', 'Warn')(action, at.index(index)),
    ...(isRepeated(action) ? [fieldErrors.duplicate(at.index(index), action)] : []),
  ]);
  if (!list.includes('Deny') || !list.includes('Warn')) return errors;
  const text =
    'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)';
  return [...errors, invalid(at, value, text)];
};

/** Checks a ValidatingAdmissionPolicyBinding. */
export const validateValidatingBinding: Check = fields({
  spec: fields({
    ...bindingFields,
    validationActions: required(actions, 'at least one validation action is required'),
  }),
});
