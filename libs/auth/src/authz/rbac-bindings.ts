import { goQuote } from '@annex/machinery';
import type { RbacBinding, RbacSubject } from './rbac-types.ts';
import type { UserInfo } from '../types.ts';

/** The user or group that a subject names: a service account is the user that it authenticates as. */
interface Named {
  kind: 'User' | 'Group';
  name: string;
}

/** A binding with the users and groups of its subjects, in order; `undefined` for subjects that name none. */
export interface IndexedBinding {
  binding: RbacBinding;
  /** The namespace of the granted permissions; empty for all. */
  namespace: string;
  named: readonly (Named | undefined)[];
}

/** The bindings of a namespace (or of the whole cluster) by subject. */
export class BindingIndex {
  readonly #bindings = new Map<string, IndexedBinding>();
  readonly #byName = {
    User: new Map<string, Set<IndexedBinding>>(),
    Group: new Map<string, Set<IndexedBinding>>(),
  };

  /** Adds a binding, or replaces the binding with the same name. */
  set(name: string, binding: RbacBinding, namespace: string): void {
    this.delete(name);
    const named = (binding.subjects ?? []).map((subject) => namedBy(subject, namespace));
    const indexed = { binding, namespace, named };
    this.#bindings.set(name, indexed);
    for (const who of named) {
      if (who === undefined) continue;
      const others = this.#byName[who.kind].get(who.name);
      if (others === undefined) this.#byName[who.kind].set(who.name, new Set([indexed]));
      else others.add(indexed);
    }
  }

  delete(name: string): void {
    const indexed = this.#bindings.get(name);
    if (indexed === undefined) return;
    this.#bindings.delete(name);
    for (const who of indexed.named) {
      if (who === undefined) continue;
      const others = this.#byName[who.kind].get(who.name);
      others?.delete(indexed);
      if (others?.size === 0) this.#byName[who.kind].delete(who.name);
    }
  }

  get size(): number {
    return this.#bindings.size;
  }

  /** Calls `visit` with each binding that names the user, at least once, until it returns false. */
  visit({ name, groups }: UserInfo, visit: (binding: IndexedBinding) => boolean): boolean {
    const { User, Group } = this.#byName;
    if (!visitAll(User.get(name), visit)) return false;
    for (const group of groups) if (!visitAll(Group.get(group), visit)) return false;
    return true;
  }
}

function visitAll(
  bindings: ReadonlySet<IndexedBinding> | undefined,
  visit: (binding: IndexedBinding) => boolean,
): boolean {
  if (bindings !== undefined) for (const binding of bindings) if (!visit(binding)) return false;
  return true;
}

/** Returns the user name that a service account authenticates as. */
export const serviceAccountUser = (namespace: string, name: string): string =>
  `system:serviceaccount:${namespace}:${name}`;

function namedBy({ kind, name, namespace }: RbacSubject, bindingNamespace: string): Named | undefined {
  switch (kind) {
    case 'User':
    case 'Group':
      return { kind, name };
    case 'ServiceAccount': {
      const own = namespace || bindingNamespace;
      return own === '' ? undefined : { kind: 'User', name: serviceAccountUser(own, name) };
    }
    default:
      return undefined;
  }
}

/**
 * Formats a binding for a reason as kube-apiserver does: `ClusterRoleBinding "a" of ClusterRole "b" to Group
 * "c"`, with the first subject that applies.
 */
export function describeBinding({ binding, namespace, named }: IndexedBinding, user: UserInfo): string {
  const isUser = (who: Named | undefined) =>
    who?.kind === 'User' ? who.name === user.name : who !== undefined && user.groups.includes(who.name);
  const at = named.findIndex(isUser);
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
