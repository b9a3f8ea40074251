import { StatusError } from '@annex/machinery';
import { anonymousUser, authenticatedGroup, unauthenticatedGroup } from '../authn/anonymous-authenticator.ts';
import { type Asked, IdentityChecks, requireAllowed } from './impersonation-checks.ts';
import { impersonationHeaders } from './impersonation-headers.ts';
import { type ImpersonationMode, impersonationModes, nodeOfUser } from './impersonation-modes.ts';
import { parseServiceAccountUser, serviceAccountGroups } from '../service-accounts/service-account-name.ts';
import type { Attributes, Authorizer, Decision, UserInfo } from '../types.ts';

/** Finds out who a request with `Impersonate-*` headers is made as. */
export interface Impersonator {
  /**
   * The impersonated user; `undefined` where no headers ask for one. `rawHeaders` are names and values as sent,
   * `attributes` those of the request with the user who authenticated. Throws 400 and 403 as kube does. Each question to the
   * authorizer, with its answer, is told.
   */
  impersonate(
    rawHeaders: readonly string[],
    attributes: Attributes,
    tell?: (asked: Attributes, decision: Decision) => void,
  ): Promise<Impersonated | undefined>;
}

/** Who a request is made as, and the constraint of the mode that allowed it; none for the verb `impersonate`. */
export interface Impersonated {
  user: UserInfo;
  constraint: string | undefined;
}

export const maxImpersonatedUsers = 10_000;

/** Impersonation by the rights of an authorizer: constrained modes first, then the verb `impersonate`. */
export function createImpersonator(authorizer: Authorizer): Impersonator {
  // The mode that a user last succeeded with is tried first, and its refusal is the one that the user is told.
  const lastModes = new Map<string, ImpersonationMode>();
  return {
    async impersonate(rawHeaders, attributes, tell) {
      const wanted = impersonationHeaders(rawHeaders);
      if (wanted === undefined) return undefined;
      const requestor = attributes.user;
      const last = lastModes.get(requestor.name);
      const modes =
        last === undefined ? impersonationModes : [last, ...impersonationModes.filter((m) => m !== last)];
      const asking = tell ? telling(authorizer, tell) : authorizer;
      let refusal: StatusError | undefined;
      for (const mode of modes) {
        if (!mode.applies(wanted, requestor)) continue;
        try {
          await requireMode(asking, mode, wanted, attributes);
        } catch (error) {
          if (!(error instanceof StatusError)) throw error;
          refusal ??= error;
          continue;
        }
        if (mode !== last) remember(lastModes, requestor.name, mode);
        return { user: completed(wanted, mode), constraint: mode.constraint };
      }
      throw refusal as StatusError;
    },
  };
}

const telling = (authorizer: Authorizer, tell: (asked: Attributes, decision: Decision) => void): Asked => ({
  async authorize(asked) {
    const decision = await authorizer.authorize(asked);
    tell(asked, decision);
    return decision;
  },
});

async function requireMode(
  authorizer: Asked,
  mode: ImpersonationMode,
  wanted: UserInfo,
  attributes: Attributes,
): Promise<void> {
  if (mode.constraint !== undefined) {
    const verb = `impersonate-on:${mode.constraint}:${attributes.verb}`;
    await requireAllowed(authorizer, { ...attributes, verb });
  }
  await new IdentityChecks(authorizer, attributes.user, mode).require(wanted);
}

function remember(modes: Map<string, ImpersonationMode>, user: string, mode: ImpersonationMode): void {
  modes.delete(user);
  modes.set(user, mode);
  if (modes.size > maxImpersonatedUsers) modes.delete(modes.keys().next().value as string);
}

/** The wanted user with the groups that come with the name. */
function completed(wanted: UserInfo, { constraint }: ImpersonationMode): UserInfo {
  let { groups } = wanted;
  if (constraint !== undefined && nodeOfUser(wanted.name) !== undefined) groups = ['system:nodes'];
  const account = parseServiceAccountUser(wanted.name);
  if (account !== undefined && groups.length === 0) groups = serviceAccountGroups(account.namespace);
  const group = wanted.name === anonymousUser ? unauthenticatedGroup : authenticatedGroup;
  const settled = groups.includes(group) || groups.includes(unauthenticatedGroup);
  return { ...wanted, groups: settled ? groups : [...groups, group] };
}
