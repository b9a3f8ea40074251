import type { PolicyRule, RbacBinding, RbacRole, RbacSubject } from '@annex/auth';
import { rbacGroup } from '@annex/auth';
import {
  errorsInPasses,
  errorsOfEach,
  errorsOfPasses,
  compileLabelSelector,
  deepEqual,
  type FieldError,
  FieldPath,
  fieldErrors,
  isObject,
  type KubeObject,
  type LabelSelectorObject,
  nameIsDnsSubdomain,
  nameIsPathSegment,
  type Passes,
  validateLabelSelector,
} from '@annex/machinery';

/** Returns the validation errors of the rules of a Role or, with `namespaced` false, of a ClusterRole. */
export function validateRole(object: KubeObject, namespaced: boolean): FieldError[] {
  const { rules } = object as RbacRole;
  const errors = errorsOfEach(rules ?? [], (rule, i) =>
    validateRule(rule, namespaced, FieldPath.of('rules').index(i)),
  );
  return namespaced ? errors : [...errors, ...validateAggregation(object.aggregationRule)];
}

function validateRule(rule: PolicyRule, namespaced: boolean, at: FieldPath): FieldError[] {
  const { verbs = [], apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  const errors: FieldError[] = [];
  const required = (field: string, why: string) => errors.push(fieldErrors.required(at.child(field), why));
  if (isEmpty(verbs)) required('verbs', 'verbs must contain at least one value');
  if (!isEmpty(nonResourceURLs)) {
    const invalid = (why: string) =>
      errors.push(fieldErrors.invalid(at.child('nonResourceURLs'), nonResourceURLs, why));
    if (namespaced) invalid('namespaced rules cannot apply to non-resource URLs');
    if (![apiGroups, resources, resourceNames].every(isEmpty)) {
      invalid('rules cannot apply to both regular resources and non-resource URLs');
    }
    return errors;
  }
  if (isEmpty(apiGroups)) required('apiGroups', 'resource rules must supply at least one api group');
  if (isEmpty(resources)) required('resources', 'resource rules must supply at least one resource');
  return errors;
}

// Lists are null if the client sent null.
const isEmpty = (list: readonly string[] | null): boolean => (list?.length ?? 0) === 0;

function validateAggregation(rule: unknown): FieldError[] {
  if (!isObject(rule)) return [];
  const at = FieldPath.of('aggregationRule', 'clusterRoleSelectors');
  const selectors = (rule.clusterRoleSelectors ?? []) as unknown as LabelSelectorObject[];
  if (selectors.length === 0) {
    return [
      fieldErrors.required(at, 'at least one clusterRoleSelector required if aggregationRule is non-nil'),
    ];
  }
  return errorsOfEach(selectors, (selector, i) => errorsOfPasses(selectorErrors(selector, at.index(i))));
}

/** A selector without errors compiles. */
function* selectorErrors(selector: LabelSelectorObject, at: FieldPath): Passes<FieldError[]> {
  const errors = yield* errorsInPasses(() => validateLabelSelector(selector, at));
  return errors.length === 0 || compiles(selector)
    ? errors
    : [...errors, fieldErrors.invalid(at, null, 'invalid label selector.')];
}

function compiles(selector: LabelSelectorObject): boolean {
  try {
    compileLabelSelector(selector);
    return true;
  } catch {
    return false;
  }
}

/** Returns the validation errors of a RoleBinding or, with `namespaced` false, a ClusterRoleBinding. */
export function validateBinding(object: KubeObject, namespaced: boolean): FieldError[] {
  const { roleRef, subjects } = object as RbacBinding;
  const at = FieldPath.of('roleRef');
  const errors: FieldError[] = [];
  const kinds = namespaced ? ['Role', 'ClusterRole'] : ['ClusterRole'];
  if (roleRef.apiGroup !== rbacGroup) {
    errors.push(fieldErrors.notSupported(at.child('apiGroup'), roleRef.apiGroup, [rbacGroup]));
  }
  if (!kinds.includes(roleRef.kind)) {
    errors.push(fieldErrors.notSupported(at.child('kind'), roleRef.kind ?? '', kinds));
  }
  if (!roleRef.name) errors.push(fieldErrors.required(at.child('name')));
  else {
    const problems = nameIsPathSegment(roleRef.name, false);
    errors.push(...problems.map((why) => fieldErrors.invalid(at.child('name'), roleRef.name, why)));
  }
  return [
    ...errors,
    ...errorsOfEach(subjects ?? [], (s, i) =>
      validateSubject(s, namespaced, FieldPath.of('subjects').index(i)),
    ),
  ];
}

const subjectKinds = ['ServiceAccount', 'User', 'Group'];

function validateSubject(subject: RbacSubject, namespaced: boolean, at: FieldPath): FieldError[] {
  const { kind = '', name = '', apiGroup = '', namespace = '' } = subject;
  const errors: FieldError[] = name === '' ? [fieldErrors.required(at.child('name'))] : [];
  if (!subjectKinds.includes(kind))
    return [...errors, fieldErrors.notSupported(at.child('kind'), kind, subjectKinds)];
  const isAccount = kind === 'ServiceAccount';
  if (isAccount && name !== '') {
    errors.push(
      ...nameIsDnsSubdomain(name, false).map((why) => fieldErrors.invalid(at.child('name'), name, why)),
    );
  }
  const expected = isAccount ? '' : rbacGroup;
  if (apiGroup !== expected)
    errors.push(fieldErrors.notSupported(at.child('apiGroup'), apiGroup, [expected]));
  if (isAccount && !namespaced && namespace === '') errors.push(fieldErrors.required(at.child('namespace')));
  return errors;
}

/** The roleRef of a binding is immutable. */
export function validateSameRole(object: KubeObject, old: KubeObject): FieldError[] {
  const { apiGroup: APIGroup, kind: Kind, name: Name } = (object as RbacBinding).roleRef;
  if (deepEqual((object as RbacBinding).roleRef, (old as RbacBinding).roleRef)) return [];
  return [fieldErrors.invalid('roleRef', { APIGroup, Kind, Name }, 'cannot change roleRef')];
}
