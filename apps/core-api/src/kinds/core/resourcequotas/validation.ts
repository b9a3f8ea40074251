import type { ResourceQuota } from '@annex/admission';
import type { FieldPath } from '@annex/machinery';
import {
  emptyFieldOf,
  errorsOfEach,
  errorsOfMembers,
  type FieldError,
  fieldErrors,
  fieldImmutable,
  getOwn,
  type KubeObject,
  Quantity,
  tableOf,
  validateQualifiedName,
} from '@annex/machinery';
import { type Check, childOf, fields, objectsOf } from '../../shared/checks.ts';
import { countedResources, isStandardResource } from '../../shared/pod-spec/standard-resources.ts';

const { invalid } = fieldErrors;

const whole = new Set(countedResources);

/** Returns whether a quota can limit a name without a slash. */
const isLimited = (name: string): boolean => name !== 'storage' && isStandardResource(name);
const isWhole = (name: string): boolean =>
  whole.has(name) ||
  (name.includes('/') &&
    !name.includes('kubernetes.io/') &&
    !name.startsWith('requests.') &&
    validateQualifiedName(`requests.${name}`).length === 0);

function nameErrors(name: string, at: FieldPath): FieldError[] {
  const errors = validateQualifiedName(name).map((why) => invalid(at, name, why));
  if (name.includes('/') || isLimited(name)) return errors;
  if (errors.length === 0 && !isStandardResource(name)) {
    errors.push(invalid(at, name, 'must be a standard resource type or fully qualified'));
  }
  return [...errors, invalid(at, name, 'must be a standard resource for quota')];
}

function amountErrors(name: string, value: unknown, at: FieldPath): FieldError[] {
  const amount = Quantity.parse(String(value));
  const errors =
    amount.sign < 0 ? [invalid(at, amount.toString(), 'must be greater than or equal to 0')] : [];
  if (isWhole(name) && amount.scaledValue(-3) % 1000n !== 0n) {
    errors.push(invalid(at, amount.toString(), 'must be an integer'));
  }
  return errors;
}

const amounts: Check = (value, at) =>
  errorsOfMembers(childOf({ value }, 'value'), (name, amount) => [
    ...nameErrors(name, at.key(name)),
    ...amountErrors(name, amount, at.key(name)),
  ]);

const compute = ['cpu', 'memory', 'requests.cpu', 'requests.memory', 'limits.cpu', 'limits.memory'];
const podAmounts = new Set(['pods', ...compute]);
/** The names that can be limited by scope, in addition to all names with a slash. */
const scopes = tableOf<ReadonlySet<string>>({
  Terminating: podAmounts,
  NotTerminating: podAmounts,
  NotBestEffort: podAmounts,
  PriorityClass: podAmounts,
  CrossNamespacePodAffinity: podAmounts,
  BestEffort: new Set(['pods']),
  VolumeAttributesClass: new Set(['persistentvolumeclaims', 'requests.storage']),
});
const opposites = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
] as const;

/**
 * Returns a function that lists the limited names that do not match a scope. The names of a quota are visited
 * once for each known scope, not for each scope in its lists: both can fill a body.
 */
function namesOutsideScopes(hard: object): (scope: string) => readonly string[] {
  const found = new Map<string, readonly string[]>();
  const find = (scope: string): readonly string[] => {
    const allowed = scopes.get(scope);
    if (allowed === undefined) return [];
    let outside = found.get(scope);
    if (outside === undefined) {
      outside = Object.keys(hard).filter((name) => isLimited(name) && !allowed.has(name));
      found.set(scope, outside);
    }
    return outside;
  };
  return find;
}

const conflicts = (names: readonly string[]) =>
  opposites.filter((pair) => pair.every((scope) => names.includes(scope)));

function scopeErrors(spec: NonNullable<ResourceQuota['spec']>, at: FieldPath): FieldError[] {
  const { scopes: named = [], hard = {} } = spec;
  const scopesError = (why: string) => invalid(at.child('scopes'), named, why);
  const outside = namesOutsideScopes(hard);
  return [
    ...errorsOfEach(named, (scope) => [
      ...(scopes.has(scope) ? [] : [scopesError('unsupported scope')]),
      ...errorsOfEach(outside(scope), () => [scopesError('unsupported scope applied to resource')]),
    ]),
    ...conflicts(named).map(() => scopesError('conflicting scopes')),
  ];
}

const onlyExists =
  "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";
const hasNoValue = new Set([
  'BestEffort',
  'NotBestEffort',
  'Terminating',
  'NotTerminating',
  'CrossNamespacePodAffinity',
]);

function selectorErrors(spec: NonNullable<ResourceQuota['spec']>, parent: FieldPath): FieldError[] {
  const { scopeSelector, hard = {} } = spec;
  const requirements = objectsOf(scopeSelector?.matchExpressions);
  const at = parent.child('scopeSelector', 'matchExpressions');
  const outside = namesOutsideScopes(hard);
  const errors = errorsOfEach(requirements, ({ scopeName, operator, values = [] }) => {
    const scope = String(scopeName);
    return [
      ...(scopes.has(scope) ? [] : [invalid(at.child('scopeName'), scope, 'unsupported scope')]),
      ...errorsOfEach(outside(scope), () => [
        invalid(at, scopeSelector, 'unsupported scope applied to resource'),
      ]),
      ...(hasNoValue.has(scope) && operator !== 'Exists'
        ? [invalid(at.child('operator'), operator, onlyExists)]
        : []),
      ...valueErrors(String(operator), values as unknown[], at),
    ];
  });
  const names = requirements.map(({ scopeName }) => String(scopeName));
  return [
    ...errors,
    ...conflicts(names).map(() =>
      invalid(parent.child('scopeSelector', 'scopes'), spec.scopes ?? null, 'conflicting scopes'),
    ),
  ];
}

function valueErrors(operator: string, values: readonly unknown[], at: FieldPath): FieldError[] {
  if (operator === 'In' || operator === 'NotIn') {
    const why = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector";
    return values.length === 0 ? [fieldErrors.required(at.child('values'), why)] : [];
  }
  if (operator === 'Exists' || operator === 'DoesNotExist') {
    const why = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector";
    return values.length === 0 ? [] : [invalid(at.child('values'), values, why)];
  }
  return [invalid(at.child('operator'), operator, 'not a valid selector operator')];
}

/** Checks the spec of a quota. */
export const quotaSpec: Check = (value, at) => {
  const spec = childOf({ value }, 'value') as NonNullable<ResourceQuota['spec']>;
  return [...amounts(spec.hard, at.child('hard')), ...scopeErrors(spec, at), ...selectorErrors(spec, at)];
};

/** Checks the status of a quota. */
export const quotaStatus: Check = fields({ hard: amounts, used: amounts });

/** Checks that the scopes of a quota do not change. */
export function quotaChanges(quota: ResourceQuota, old: ResourceQuota, at: FieldPath): FieldError[] {
  const [now, before] = [quota, old].map(({ spec }) => [...new Set(spec?.scopes)].sort().join());
  if (now === before) return [];
  const spec = childOf(quota, 'spec');
  const sent = spec.scopes ?? emptyFieldOf(spec, 'scopes') ?? null;
  return [invalid(at.child('spec', 'scopes'), sent, fieldImmutable)];
}

/** Warns about limits of requests that are higher than those of limits, and therefore have no effect. */
export function quotaWarnings({ spec }: KubeObject & ResourceQuota): string[] {
  const hard = spec?.hard ?? {};
  return ['cpu', 'memory', 'storage', 'ephemeral-storage'].flatMap((name) => {
    const bare = name === 'cpu' || name === 'memory' ? [name] : [];
    const request = [`requests.${name}`, ...bare].find((one) => getOwn(hard, one) !== undefined);
    const limit = hard[`limits.${name}`];
    if (request === undefined || limit === undefined) return [];
    const [requested, most] = [getOwn(hard, request), limit].map((amount) => Quantity.parse(String(amount)));
    if (requested === undefined || most === undefined || requested.compare(most) <= 0) return [];
    return [`ResourceQuota ${request} (${requested}) should be less than limits.${name} (${most})`];
  });
}
