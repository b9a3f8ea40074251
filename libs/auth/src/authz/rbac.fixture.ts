import type { KubeObject } from '@annex/machinery';
import { createFeed, createMemoryStore, type Feed, type Store } from '@annex/storage';
import { type PolicyRule, rbacGroup, rbacPrefixes, type RbacSubject } from './rbac-types.ts';
import type { Attributes, UserInfo } from '../types.ts';

/** A store with RBAC objects for tests, and shorthands to write them. */
export class RbacFixture {
  readonly store: Store = createMemoryStore();
  readonly feed: Feed = createFeed(this.store);

  async put(
    prefix: string,
    name: string,
    object: Omit<KubeObject, 'metadata'>,
    namespace = '',
  ): Promise<void> {
    const key = `${prefix}${namespace === '' ? '' : `${namespace}/`}${name}`;
    const metadata = { name, ...(namespace === '' ? {} : { namespace }) };
    const value = Buffer.from(JSON.stringify({ ...object, metadata }));
    const { entry } = await this.store.get(key);
    if (entry === undefined) await this.store.create(key, value);
    else await this.store.update(key, value, entry.modRevision);
  }

  clusterRole(name: string, ...rules: PolicyRule[]): Promise<void> {
    return this.put(rbacPrefixes.clusterRoles, name, { rules });
  }

  role(namespace: string, name: string, ...rules: PolicyRule[]): Promise<void> {
    return this.put(rbacPrefixes.roles, name, { rules }, namespace);
  }

  bindCluster(name: string, role: string, ...subjects: RbacSubject[]): Promise<void> {
    const roleRef = { apiGroup: rbacGroup, kind: 'ClusterRole', name: role };
    return this.put(rbacPrefixes.clusterRoleBindings, name, { roleRef, subjects });
  }

  bind(
    namespace: string,
    name: string,
    kind: string,
    role: string,
    ...subjects: RbacSubject[]
  ): Promise<void> {
    const roleRef = { apiGroup: rbacGroup, kind, name: role };
    return this.put(rbacPrefixes.roleBindings, name, { roleRef, subjects }, namespace);
  }

  async close(): Promise<void> {
    await this.feed.close();
    await this.store.close();
  }
}

export const userOf = (name: string, ...groups: string[]): UserInfo => ({ name, groups, extra: {} });

/** Builds attributes from a short form: `get pods/log in ns named p of apps`, or `get /path`. */
export function ask(user: UserInfo, verb: string, what: string, about: Partial<Attributes> = {}): Attributes {
  const path = what.startsWith('/') ? what : '';
  const [resource = '', subresource = ''] = path === '' ? what.split('/') : [];
  return {
    user,
    verb,
    resourceRequest: path === '',
    apiGroup: '',
    apiVersion: 'v1',
    resource,
    subresource,
    namespace: '',
    name: '',
    path,
    ...about,
  };
}
