import { type Environment, types } from '@annex/cel';
import {
  type FieldError,
  fieldErrors,
  type FieldPath,
  getOwn,
  isObject,
  nameIsDnsSubdomain,
  validateDns1035Label,
  validateDns1123Subdomain,
  validatePathSegmentName,
  validateQualifiedName,
} from '@annex/machinery';
import {
  compileMutation,
  compilePolicy,
  isIdentifier,
  type Mutation,
  type PolicyExpressions,
  type PolicySpec,
} from '@annex/admission';
import { matchConditions, rule, strings } from './webhooks.ts';
import {
  all,
  type Check,
  childOf,
  each,
  fields,
  isMissing,
  objectsOf,
  oneOf,
  required,
  selector,
  text,
  unique,
} from '../../shared/checks.ts';
import { expressionOf, filled } from './expressions.ts';

const { invalid } = fieldErrors;

const namedRule = fields({
  resourceNames: (value, at) => {
    const names = strings(value);
    return names.flatMap((name, index) => [
      ...validatePathSegmentName(name).map((why) => invalid(at.index(index), name, why)),
      ...(names.indexOf(name) < index ? [fieldErrors.duplicate(at.index(index), name)] : []),
    ]);
  },
  ...rule,
});

const matchResources = fields({
  matchPolicy: required(oneOf('Equivalent', 'Exact')),
  namespaceSelector: (value, at) => (isObject(value) ? selector(value, at) : [fieldErrors.required(at)]),
  objectSelector: (value, at) => (isObject(value) ? selector(value, at) : [fieldErrors.required(at)]),
  resourceRules: each(namedRule),
  excludeResourceRules: each(namedRule),
});

const matchConstraints: Check = (value, at) => {
  if (!isObject(value)) return [fieldErrors.required(at)];
  const errors = matchResources(value, at);
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

const errorOf = (at: FieldPath, value: string, complaints: readonly string[]): FieldError[] =>
  complaints.length === 0 ? [] : [invalid(at, value, complaints.join(','))];

const paramKindName: Check = (value, at) => {
  const complaints = validateDns1035Label(String(value).toLowerCase());
  const text = 'may have mixed case, but should otherwise match: ';
  return complaints.length === 0 ? [] : [invalid(at, value, text + complaints.join(','))];
};

const paramKind = fields({ apiVersion: required(paramVersion), kind: required(paramKindName) });

const identifier: Check = (value, at) =>
  isIdentifier(String(value)) ? [] : [invalid(at, value, 'must be a valid CEL identifier')];

/** Variables are compiled in their order, since each may use those before it. */
const variables =
  (compiled: PolicyExpressions): Check =>
  (value, at) =>
    objectsOf(value).flatMap((variable, index) => {
      const where = at.index(index);
      const error = compiled.variables[index]?.error;
      return [
        ...filled('name is not specified', identifier)(variable.name, where.child('name')),
        ...filled('expression is not specified', (text, place) =>
          error === undefined ? [] : [invalid(place, text, error)],
        )(variable.expression, where.child('expression')),
      ];
    });

/** Demands more than white space of a text that is set. */
const notBlank =
  (check: Check): Check =>
  (value, at) => {
    if (typeof value !== 'string' || value === '') return [];
    return value.trim() === '' ? [invalid(at, value, 'must be non-empty if specified')] : check(value, at);
  };

const oneLine: Check = (value, at) =>
  /[\r\n]/.test(String(value).trim()) ? [invalid(at, value, 'must not contain line breaks')] : [];

const policy = (spec: PolicySpec, compiled: PolicyExpressions): Record<string, Check> => ({
  failurePolicy: required(oneOf('Fail', 'Ignore')),
  paramKind,
  matchConstraints,
  matchConditions: matchConditions(hasParams(spec)),
  variables: variables(compiled),
});

const hasParams = ({ paramKind: kind }: PolicySpec): boolean => kind !== undefined && kind !== null;

const validation = ({ environment, plainEnvironment }: PolicyExpressions): Check =>
  fields({
    expression: filled('expression is not specified', expressionOf(environment, types.bool)),
    messageExpression: notBlank(expressionOf(plainEnvironment, types.string)),
    message: notBlank(oneLine),
    reason: oneOf('Forbidden', 'Invalid', 'RequestEntityTooLarge'),
  });

export const maxPolicyAnnotations = 20;
export const maxPolicyAnnotationExpressionBytes = 5 * 1024;

/** Keys are told together with the name of the policy in the audit log. */
const auditAnnotations = ({ environment }: PolicyExpressions, name: string | undefined): Check => {
  const key: Check = (value, at) =>
    name
      ? text(validateQualifiedName)(`${name}/${String(value ?? '')}`, at)
      : [invalid(at, value ?? '', 'requires metadata.name be non-empty')];
  const annotation = fields({
    key,
    valueExpression: filled('valueExpression is not specified', (value, at) =>
      Buffer.byteLength(String(value).trim()) > maxPolicyAnnotationExpressionBytes
        ? [fieldErrors.required(at, `must not exceed ${maxPolicyAnnotationExpressionBytes} bytes in length`)]
        : expressionOf(environment, types.string, types.null)(value, at),
    ),
  });
  return all(
    (value, at) =>
      objectsOf(value).length > maxPolicyAnnotations
        ? [invalid(at, value, `must not have more than ${maxPolicyAnnotations} auditAnnotations`)]
        : [],
    each(annotation),
    unique('key'),
  );
};

const oneIsNeeded = 'validations or auditAnnotations must contain at least one item';

/** ValidatingAdmissionPolicies. */
export const validatingPolicy: Check = (object, at) => {
  const spec = childOf(object, 'spec') as PolicySpec;
  const compiled = compilePolicy(spec);
  const { name } = childOf(object, 'metadata');
  return fields({
    spec: fields(
      {
        ...policy(spec, compiled),
        validations: each(validation(compiled)),
        auditAnnotations: auditAnnotations(compiled, typeof name === 'string' ? name : undefined),
      },
      (value, where) =>
        isObject(value) && isMissing(value.validations) && isMissing(value.auditAnnotations)
          ? ['validations', 'auditAnnotations'].map((field) =>
              fieldErrors.required(where.child(field), oneIsNeeded),
            )
          : [],
    ),
  })(object, at);
};

const mutation =
  (environment: Environment): Check =>
  (value, at) => {
    const { patchType, jsonPatch, applyConfiguration } = (isObject(value) ? value : {}) as Record<
      string,
      unknown
    >;
    if (isMissing(patchType)) return [fieldErrors.required(at.child('patchType'))];
    const kinds: Record<
      string,
      readonly [field: string, value: unknown, other: string, otherValue: unknown]
    > = {
      JSONPatch: ['jsonPatch', jsonPatch, 'applyConfiguration', applyConfiguration],
      ApplyConfiguration: ['applyConfiguration', applyConfiguration, 'jsonPatch', jsonPatch],
    };
    const found = getOwn(kinds, String(patchType));
    if (found === undefined)
      return [fieldErrors.notSupported(at.child('patchType'), patchType, Object.keys(kinds).sort())];
    const [field, own, other, otherValue] = found;
    const compiled: Check = (expression, where) => {
      const { error } = compileMutation(environment, value as unknown as Mutation);
      return error === undefined ? [] : [invalid(where, expression, error)];
    };
    const text = `when patchType is ${String(patchType)}`;
    return [
      ...(own === undefined ? [fieldErrors.required(at.child(field), `must be specified ${text}`)] : []),
      ...(otherValue === undefined
        ? []
        : [invalid(at.child(other), `{${other}}`, `must not be specified ${text}`)]),
      ...fields({ expression: filled('', compiled) })(own, at.child(field)),
    ];
  };

const mutable = ['*', 'CONNECT', 'CREATE', 'UPDATE'];

/** What is removed cannot be changed. kube names no rule and no operation here. */
const mutableOperations: Check = (value, at) =>
  objectsOf(childOf({ value }, 'value').resourceRules).flatMap(({ operations }) =>
    strings(operations)
      .filter((operation) => !mutable.includes(operation))
      .map((operation) =>
        fieldErrors.notSupported(at.child('resourceRules').child('operations'), operation, mutable),
      ),
  );

/** MutatingAdmissionPolicies. */
export const mutatingPolicy: Check = (object, at) => {
  const spec = childOf(object, 'spec') as PolicySpec;
  const compiled = compilePolicy(spec);
  return fields({
    spec: fields({
      ...policy(spec, compiled),
      matchConstraints: all(matchConstraints, mutableOperations),
      mutations: required(
        each(mutation(compiled.mutationEnvironment)),
        'mutations must contain at least one item',
      ),
      reinvocationPolicy: required(oneOf('IfNeeded', 'Never')),
    }),
  })(object, at);
};

const dnsSubdomain: Check = text((name) => nameIsDnsSubdomain(name, false));

const paramRef: Check = (value, at) => {
  if (!isObject(value)) return [];
  const both = !isMissing(value.name) && value.selector !== undefined;
  const exclusive = (field: string) =>
    fieldErrors.forbidden(at.child(field), 'name and selector are mutually exclusive');
  return [
    ...text(validatePathSegmentName)(value.name, at.child('name')),
    ...(both ? [exclusive('name')] : []),
    ...selector(value.selector, at.child('selector')),
    ...(both ? [exclusive('selector')] : []),
    ...(isMissing(value.name) && value.selector === undefined
      ? [fieldErrors.required(at, 'one of name or selector must be specified')]
      : []),
    ...required(oneOf('Deny', 'Allow'))(value.parameterNotFoundAction, at.child('parameterNotFoundAction')),
  ];
};

const actions: Check = (value: unknown, at: FieldPath) => {
  const list = strings(value);
  const errors = list.flatMap((action, index) => [
    ...oneOf('Audit', 'Deny', 'Warn')(action, at.index(index)),
    ...(list.indexOf(action) < index ? [fieldErrors.duplicate(at.index(index), action)] : []),
  ]);
  if (!list.includes('Deny') || !list.includes('Warn')) return errors;
  const text =
    'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)';
  return [...errors, invalid(at, value, text)];
};

const binding: Record<string, Check> = {
  policyName: required(dnsSubdomain),
  paramRef,
  matchResources,
};

export const mutatingBinding: Check = fields({ spec: fields(binding) });
export const validatingBinding: Check = fields({
  spec: fields({
    ...binding,
    validationActions: required(actions, 'at least one validation action is required'),
  }),
});
