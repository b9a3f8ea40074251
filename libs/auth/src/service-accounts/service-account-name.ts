import { nameIsDnsLabel, nameIsDnsSubdomain } from '@annex/machinery';
import { serviceAccountUser } from '../authz/rbac-bindings.ts';

const prefix = 'system:serviceaccount:';

/** Splits the user name of a service account; `undefined` for any other user. */
export function parseServiceAccountUser(user: string): { namespace: string; name: string } | undefined {
  if (!user.startsWith(prefix)) return undefined;
  const [namespace, name, ...more] = user.slice(prefix.length).split(':');
  if (namespace === undefined || name === undefined || more.length > 0) return undefined;
  if (nameIsDnsLabel(namespace, false).length > 0 || nameIsDnsSubdomain(name, false).length > 0)
    return undefined;
  return { namespace, name };
}

/** Returns the groups of every service account of a namespace. */
export const serviceAccountGroups = (namespace: string): string[] => [
  'system:serviceaccounts',
  `system:serviceaccounts:${namespace}`,
];

export { serviceAccountUser };
