import { isIdentifier, type PolicySpec, type PolicyVariables } from '@annex/admission';
import type { FieldPath } from '@annex/machinery';
import {
  errorsOfEach,
  type FieldError,
  fieldErrors,
  isObject,
  repetitions,
  validateDns1035Label,
  validateDns1123Subdomain,
  validatePathSegmentName,
} from '@annex/machinery';
import {
  type Check,
  each,
  fields,
  isMissing,
  objectsOf,
  oneOf,
  present,
  required,
  selector,
} from '../../shared/checks.ts';
import { type Expressions, filled } from './expressions.ts';
import { validateMatchConditions } from './match-conditions.ts';
import { ruleFields, strings } from './rules.ts';

const { invalid } = fieldErrors;

const namedRule = fields({
  resourceNames: (value, at) => {
    const names = strings(value);
    const isRepeated = repetitions();
    return errorsOfEach(names, (name, index) => [
      ...validatePathSegmentName(name).map((why) => invalid(at.index(index), name, why)),
      ...(isRepeated(name) ? [fieldErrors.duplicate(at.index(index), name)] : []),
    ]);
  },
  ...ruleFields,
});

/** Checks the resources that a policy or a binding matches. */
export const validateMatchResources = fields({
  matchPolicy: present(oneOf('Equivalent', 'Exact')),
  namespaceSelector: (value, at) => (isObject(value) ? selector(value, at) : [fieldErrors.required(at)]),
  objectSelector: (value, at) => (isObject(value) ? selector(value, at) : [fieldErrors.required(at)]),
  resourceRules: each(namedRule),
  excludeResourceRules: each(namedRule),
});

/** Checks the resources that a policy matches. */
export const validateMatchConstraints: Check = (value, at) => {
  if (!isObject(value)) return [fieldErrors.required(at)];
  const errors = validateMatchResources(value, at);
  return isMissing(value.resourceRules)
    ? [...errors, fieldErrors.required(at.child('resourceRules'))]
    : errors;
};

const paramVersion: Check = (value, at) => {
  const parts = String(value).split('/');
  if (parts.length > 2) return [invalid(at, value, `unexpected GroupVersion string: ${String(value)}`)];
  const [version = '', group = ''] = parts.reverse();
  const errors = group === '' ? [] : validateDns1123Subdomain(group);
  if (version === '') return [...errorOf(at, group, errors), invalid(at, value, 'version must be specified')];
  return [...errorOf(at, group, errors), ...errorOf(at, version, validateDns1035Label(version))];
};

const errorOf = (at: FieldPath, value: string, messages: readonly string[]): FieldError[] =>
  messages.length === 0 ? [] : [invalid(at, value, messages.join(','))];

const paramKindName: Check = (value, at) => {
  const messages = validateDns1035Label(String(value).toLowerCase());
  const text = 'may have mixed case, but should otherwise match: ';
  return messages.length === 0 ? [] : [invalid(at, value, text + messages.join(','))];
};

const paramKind = fields({ apiVersion: required(paramVersion), kind: required(paramKindName) });

const identifier: Check = (value, at) =>
  isIdentifier(String(value)) ? [] : [invalid(at, value, 'must be a valid CEL identifier')];

/** Variables are compiled in their order, because each may use the earlier ones. */
const variables =
  (compiled: PolicyVariables): Check =>
  (value, at) =>
    errorsOfEach(objectsOf(value), (variable, index) => {
      const where = at.index(index);
      const error = compiled.variables[index]?.error;
      return [
        ...filled('name is not specified', identifier)(variable.name, where.child('name')),
        ...filled('expression is not specified', (text, place) =>
          error === undefined ? [] : [invalid(place, text, error)],
        )(variable.expression, where.child('expression')),
      ];
    });

/** Returns the checks of the fields that both kinds of policies have. */
export const policyFields = (
  spec: PolicySpec,
  compiled: PolicyVariables,
  expressions: Expressions,
): Record<string, Check> => ({
  failurePolicy: present(oneOf('Fail', 'Ignore')),
  paramKind,
  matchConstraints: validateMatchConstraints,
  matchConditions: validateMatchConditions(hasParams(spec), expressions),
  variables: variables(compiled),
});

const hasParams = ({ paramKind: kind }: PolicySpec): boolean => kind !== undefined && kind !== null;
