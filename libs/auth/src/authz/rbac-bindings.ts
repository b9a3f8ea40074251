import { goQuote } from '../go-quote.ts';
import type { RbacBinding, RbacSubject } from './rbac-types.ts';
import type { UserInfo } from '../types.ts';

/** A binding with its subjects as keys of the index. */
export interface IndexedBinding {
  binding: RbacBinding;
  /** The namespace it grants rights in; empty for all. */
  namespace: string;
  subjectKeys: readonly (string | undefined)[];
}

/** The bindings of a namespace (or of the whole cluster) by subject. */
export class BindingIndex {
  readonly #bindings = new Map<string, IndexedBinding>();
  readonly #bySubject = new Map<string, Set<IndexedBinding>>();

  /** Puts a binding in the place of the one with the same name. */
  set(name: string, binding: RbacBinding, namespace: string): void {
    this.delete(name);
    const subjectKeys = (binding.subjects ?? []).map((subject) => subjectKey(subject, namespace));
    const indexed = { binding, namespace, subjectKeys };
    this.#bindings.set(name, indexed);
    for (const key of subjectKeys) {
      if (key === undefined) continue;
      const others = this.#bySubject.get(key);
      if (others === undefined) this.#bySubject.set(key, new Set([indexed]));
      else others.add(indexed);
    }
  }

  delete(name: string): void {
    const indexed = this.#bindings.get(name);
    if (indexed === undefined) return;
    this.#bindings.delete(name);
    for (const key of indexed.subjectKeys) {
      if (key === undefined) continue;
      const others = this.#bySubject.get(key);
      others?.delete(indexed);
      if (others?.size === 0) this.#bySubject.delete(key);
    }
  }

  get size(): number {
    return this.#bindings.size;
  }

  /** Calls `visit` with each binding that names the user, at least once, until it returns false. */
  visit(user: UserInfo, visit: (binding: IndexedBinding) => boolean): boolean {
    if (!this.#visitKey(userKey(user.name), visit)) return false;
    for (const group of user.groups) {
      if (!this.#visitKey(groupKey(group), visit)) return false;
    }
    return true;
  }

  #visitKey(key: string, visit: (binding: IndexedBinding) => boolean): boolean {
    const bindings = this.#bySubject.get(key);
    if (bindings === undefined) return true;
    for (const binding of bindings) if (!visit(binding)) return false;
    return true;
  }
}

const userKey = (name: string): string => `User ${name}`;
const groupKey = (name: string): string => `Group ${name}`;

/** The name under which a service account authenticates. */
export const serviceAccountUser = (namespace: string, name: string): string =>
  `system:serviceaccount:${namespace}:${name}`;

function subjectKey(subject: RbacSubject, bindingNamespace: string): string | undefined {
  switch (subject.kind) {
    case 'User':
      return userKey(subject.name);
    case 'Group':
      return groupKey(subject.name);
    case 'ServiceAccount': {
      const namespace = subject.namespace || bindingNamespace;
      return namespace === '' ? undefined : userKey(serviceAccountUser(namespace, subject.name));
    }
    default:
      return undefined;
  }
}

/** How kube names a binding in a reason: `ClusterRoleBinding "a" of ClusterRole "b" to Group "c"`, the first subject that applies. */
export function describeBinding({ binding, namespace, subjectKeys }: IndexedBinding, user: UserInfo): string {
  const keys = new Set([userKey(user.name), ...user.groups.map(groupKey)]);
  const at = subjectKeys.findIndex((key) => key !== undefined && keys.has(key));
  const name = binding.metadata.name ?? '';
  const what =
    namespace === ''
      ? `ClusterRoleBinding ${goQuote(name)}`
      : `RoleBinding ${goQuote(`${name}/${namespace}`)}`;
  const { kind, name: role } = binding.roleRef;
  return `${what} of ${kind} ${goQuote(role)} to ${describeSubject(binding.subjects?.[at], namespace)}`;
}

function describeSubject(subject: RbacSubject | undefined, bindingNamespace: string): string {
  if (subject === undefined) return '';
  const isAccount = subject.kind === 'ServiceAccount';
  return `${subject.kind} ${goQuote(isAccount ? `${subject.name}/${subject.namespace || bindingNamespace}` : subject.name)}`;
}
