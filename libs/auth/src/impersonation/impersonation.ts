import { StatusError } from '@annex/machinery';
import { anonymousUser, authenticatedGroup, unauthenticatedGroup } from '../authn/anonymous-authenticator.ts';
import { type CheckAuthorizer, IdentityChecks, requireAllowed } from './impersonation-checks.ts';
import { impersonationHeaders } from './impersonation-headers.ts';
import { type ImpersonationMode, impersonationModes, nodeOfUser } from './impersonation-modes.ts';
import { parseServiceAccountUser, serviceAccountGroups } from '../service-accounts/service-account-name.ts';
import type { Attributes, Authorizer, Decision, UserInfo } from '../types.ts';

/** Resolves the impersonated user of a request with `Impersonate-*` headers. */
export interface Impersonator {
  /**
   * Returns the impersonated user; `undefined` if there are no such headers. `rawHeaders` are names and
   * values as sent, `attributes` those of the request with the authenticated user. Throws 400 and 403 as
   * kube-apiserver does. Reports each authorization check and its decision.
   */
  impersonate(
    rawHeaders: readonly string[],
    attributes: Attributes,
    report?: (checked: Attributes, decision: Decision) => void,
  ): Promise<Impersonated | undefined>;
}

/** The impersonated user, and the constraint of the mode that allowed it; none for the verb `impersonate`. */
export interface Impersonated {
  user: UserInfo;
  constraint: string | undefined;
}

/** Users whose last impersonation mode is cached; the oldest is removed. */
export const maxImpersonatedUsers = 10_000;

/** Authorizes impersonation: constrained modes first, then the verb `impersonate`. */
export function createImpersonator(authorizer: Authorizer): Impersonator {
  // The mode with which a user last succeeded is tried first; its refusal is the one that the user receives.
  const lastModes = new Map<string, ImpersonationMode>();
  return {
    async impersonate(rawHeaders, attributes, report) {
      const requested = impersonationHeaders(rawHeaders);
      if (requested === undefined) return undefined;
      const requestor = attributes.user;
      const last = lastModes.get(requestor.name);
      const modes =
        last === undefined ? impersonationModes : [last, ...impersonationModes.filter((m) => m !== last)];
      const asking = report ? reporting(authorizer, report) : authorizer;
      let refusal: StatusError | undefined;
      for (const mode of modes) {
        if (!mode.applies(requested, requestor)) continue;
        try {
          await requireMode(asking, mode, requested, attributes);
        } catch (error) {
          if (!(error instanceof StatusError)) throw error;
          refusal ??= error;
          continue;
        }
        if (mode !== last) remember(lastModes, requestor.name, mode);
        return { user: completed(requested, mode), constraint: mode.constraint };
      }
      throw refusal as StatusError;
    },
  };
}

const reporting = (
  authorizer: Authorizer,
  report: (checked: Attributes, decision: Decision) => void,
): CheckAuthorizer => ({
  async authorize(checked) {
    const decision = await authorizer.authorize(checked);
    report(checked, decision);
    return decision;
  },
});

async function requireMode(
  authorizer: CheckAuthorizer,
  mode: ImpersonationMode,
  requested: UserInfo,
  attributes: Attributes,
): Promise<void> {
  if (mode.constraint !== undefined) {
    const verb = `impersonate-on:${mode.constraint}:${attributes.verb}`;
    await requireAllowed(authorizer, { ...attributes, verb });
  }
  await new IdentityChecks(authorizer, attributes.user, mode).require(requested);
}

function remember(modes: Map<string, ImpersonationMode>, user: string, mode: ImpersonationMode): void {
  modes.delete(user);
  modes.set(user, mode);
  if (modes.size > maxImpersonatedUsers) modes.delete(modes.keys().next().value as string);
}

/** Adds the groups that the user name implies. */
function completed(requested: UserInfo, { constraint }: ImpersonationMode): UserInfo {
  let { groups } = requested;
  if (constraint !== undefined && nodeOfUser(requested.name) !== undefined) groups = ['system:nodes'];
  const account = parseServiceAccountUser(requested.name);
  if (account !== undefined && groups.length === 0) groups = serviceAccountGroups(account.namespace);
  const group = requested.name === anonymousUser ? unauthenticatedGroup : authenticatedGroup;
  const settled = groups.includes(group) || groups.includes(unauthenticatedGroup);
  return { ...requested, groups: settled ? groups : [...groups, group] };
}
