import { nameIsDnsSubdomain } from '@annex/machinery';
import { parseServiceAccountUser } from '../service-accounts/service-account-name.ts';
import type { UserInfo } from '../types.ts';

/**
 * A way to impersonate, with verbs of its own; see KEP-5284 (constrained impersonation). Every mode but the last asks for
 * two rights: to impersonate this user, and to do so for this request.
 */
export interface ImpersonationMode {
  /** `undefined` for the verb `impersonate`, which holds for all requests. */
  constraint: string | undefined;
  applies(wanted: UserInfo, requestor: UserInfo): boolean;
}

const nodeNameKey = 'authentication.kubernetes.io/node-name';

/** The node that a user name stands for. */
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

function runsOnNode(requestor: UserInfo, wanted: UserInfo): boolean {
  const node = requestor.extra[nodeNameKey];
  return isServiceAccount(requestor) && node?.length === 1 && node[0] === nodeOfUser(wanted.name);
}

/** In the order in which they are tried. */
export const impersonationModes: readonly ImpersonationMode[] = [
  {
    constraint: 'associated-node',
    applies: (wanted, requestor) => onlyNamed(wanted) && isNode(wanted) && runsOnNode(requestor, wanted),
  },
  { constraint: 'arbitrary-node', applies: (wanted) => onlyNamed(wanted) && isNode(wanted) },
  { constraint: 'serviceaccount', applies: (wanted) => onlyNamed(wanted) && isServiceAccount(wanted) },
  { constraint: 'user-info', applies: (wanted) => !isNode(wanted) && !isServiceAccount(wanted) },
  { constraint: undefined, applies: () => true },
];
