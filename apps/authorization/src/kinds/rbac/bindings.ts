import { type RbacBinding, rbacGroup, type RbacSubject } from '@annex/auth';
import { age, type Cell, type Default, type ExtendedKind, setAbsent, type TypeDefaults } from '@annex/kinds';
import { getOwn, isObject, type JsonObject, setOwn } from '@annex/machinery';
import { authorizeBinding, type EscalationDeps } from './escalation.ts';
import { rbacStrategy } from './strategy.ts';
import { validateBinding, validateSameRole } from './validation.ts';

/** Sets the default API group of subjects and role references. */
const defaultGroup: Default = (subject) => {
  if (subject.kind === 'User' || subject.kind === 'Group') fillEmpty(subject, 'apiGroup');
};

const defaultRoleRef: Default = (binding) => {
  setAbsent(binding, { roleRef: {} });
  if (isObject(binding.roleRef)) fillEmpty(binding.roleRef, 'apiGroup');
};

function fillEmpty(value: JsonObject, field: string): void {
  if (getOwn(value, field) === undefined || getOwn(value, field) === null || getOwn(value, field) === '')
    setOwn(value, field, rbacGroup);
}

const defaults: TypeDefaults = {
  'io.k8s.api.rbac.v1.Subject': defaultGroup,
  'io.k8s.api.rbac.v1.RoleBinding': defaultRoleRef,
  'io.k8s.api.rbac.v1.ClusterRoleBinding': defaultRoleRef,
};

const subjectsOf =
  (kind: string, print: (subject: RbacSubject) => string): Cell =>
  (object) =>
    ((object as RbacBinding).subjects ?? [])
      .filter((subject) => subject.kind === kind)
      .map(print)
      .join(', ');

const bindingCells: Readonly<Record<string, Cell>> = {
  Role: (object) => `${(object as RbacBinding).roleRef.kind}/${(object as RbacBinding).roleRef.name}`,
  Age: (object, now) => age(object.metadata.creationTimestamp, now),
  Users: subjectsOf('User', ({ name }) => name),
  Groups: subjectsOf('Group', ({ name }) => name),
  ServiceAccounts: subjectsOf('ServiceAccount', ({ namespace = '', name }) => `${namespace}/${name}`),
};

const binding = (deps: EscalationDeps, resource: string, namespaced: boolean): ExtendedKind => ({
  group: rbacGroup,
  resource,
  defaults,
  cells: bindingCells,
  strategy: {
    ...rbacStrategy,
    authorize: authorizeBinding(deps, resource),
    validateCreate: (object) => validateBinding(object, namespaced),
    validateUpdate: (object, old) => [
      ...validateBinding(object, namespaced),
      ...validateSameRole(object, old),
    ],
  },
});

export const roleBindings = (deps: EscalationDeps): ExtendedKind => binding(deps, 'rolebindings', true);

export const clusterRoleBindings = (deps: EscalationDeps): ExtendedKind =>
  binding(deps, 'clusterrolebindings', false);
