import { nameIsDnsSubdomain } from '@annex/machinery';
import { parseServiceAccountUser } from '../service-accounts/service-account-name.ts';
import type { UserInfo } from '../types.ts';

/**
 * An impersonation mode with separate verbs; see KEP-5284 (constrained impersonation). Every mode except the
 * last requires two permissions: to impersonate this user, and to do so for this request.
 */
export interface ImpersonationMode {
  /** `undefined` for the verb `impersonate`, which applies to all requests. */
  constraint: string | undefined;
  applies(requested: UserInfo, requestor: UserInfo): boolean;
}

const nodeNameKey = 'authentication.kubernetes.io/node-name';

/** Returns the node name of a node's user name. */
export function nodeOfUser(user: string): string | undefined {
  const prefix = 'system:node:';
  if (!user.startsWith(prefix)) return undefined;
  const name = user.slice(prefix.length);
  return nameIsDnsSubdomain(name, false).length === 0 ? name : undefined;
}

const onlyNamed = ({ uid, groups, extra }: UserInfo): boolean =>
  !uid && groups.length === 0 && Object.keys(extra).length === 0;

const isNode = (user: UserInfo): boolean => nodeOfUser(user.name) !== undefined;
const isServiceAccount = (user: UserInfo): boolean => parseServiceAccountUser(user.name) !== undefined;

function runsOnNode(requestor: UserInfo, requested: UserInfo): boolean {
  const node = requestor.extra[nodeNameKey];
  return isServiceAccount(requestor) && node?.length === 1 && node[0] === nodeOfUser(requested.name);
}

/** In the order in which they are tried. */
export const impersonationModes: readonly ImpersonationMode[] = [
  {
    constraint: 'associated-node',
    applies: (requested, requestor) =>
      onlyNamed(requested) && isNode(requested) && runsOnNode(requestor, requested),
  },
  { constraint: 'arbitrary-node', applies: (requested) => onlyNamed(requested) && isNode(requested) },
  {
    constraint: 'serviceaccount',
    applies: (requested) => onlyNamed(requested) && isServiceAccount(requested),
  },
  { constraint: 'user-info', applies: (requested) => !isNode(requested) && !isServiceAccount(requested) },
  { constraint: undefined, applies: () => true },
];
