import {
  type Authorizer,
  escalationError,
  type PolicyRule,
  privilegedGroup,
  type RbacBinding,
  rbacGroup,
  type RbacRole,
  type RoleRef,
  type RuleResolver,
  type UserInfo,
} from '@annex/auth';
import {
  badRequest,
  deepEqual,
  finishSoon,
  forbidden,
  type KubeObject,
  notFound,
  tableOf,
  unclassified,
  validatePathSegmentName,
  goQuote,
} from '@annex/machinery';
import type { RequestContext } from '@annex/kinds';
import { pause } from '@annex/server';

/** Dependencies of the escalation checks. */
export interface EscalationDeps {
  authorizer: Authorizer;
  rules: RuleResolver;
}

/** Rejects roles with permissions that the user does not have, unless the user may `escalate` the role. Throws 403. */
export const authorizeRole =
  (deps: EscalationDeps, resource: string) =>
  async (object: KubeObject, old: KubeObject | undefined, request: RequestContext): Promise<void> => {
    const { user, info } = request;
    if (isPrivileged(user) || (await mayOn(deps, user, 'escalate', resource, info.namespace, info.name)))
      return;
    if (old !== undefined && changesOnlyGarbageFields(object, old)) return;
    const subject = { user, namespace: info.namespace, resource, name: object.metadata.name };
    await requireHeld(deps, subject, (object as RbacRole).rules ?? []);
    if (!aggregates(object) && !aggregates(old)) return;
    // The rules that the role will aggregate are unknown, so the user needs all permissions.
    await requireHeld(
      deps,
      subject,
      everything,
      'must have cluster-admin privileges to use the aggregationRule',
    );
  };

const everything: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

const aggregates = (role: KubeObject | undefined): boolean =>
  ((role as RbacRole | undefined)?.aggregationRule?.clusterRoleSelectors?.length ?? 0) > 0;

/**
 * Rejects bindings to roles with permissions that the user does not have, unless the user may `bind` the role. Throws 403, or the error of
 * the look-up.
 */
export const authorizeBinding =
  (deps: EscalationDeps, resource: string) =>
  async (object: KubeObject, old: KubeObject | undefined, request: RequestContext): Promise<void> => {
    const { user, info } = request;
    if (isPrivileged(user) || (old !== undefined && changesOnlyGarbageFields(object, old))) return;
    const { roleRef } = object as RbacBinding;
    const { namespace } = info;
    const roles = roleResources.get(roleRef.kind);
    if (roles !== undefined && (await mayOn(deps, user, 'bind', roles, namespace, roleRef.name))) return;
    if (roles === undefined)
      throw unclassified(`unsupported role reference kind: ${goQuote(roleRef.kind ?? '')}`);
    requireKey(roleRef, namespace);
    const { rules, dangling } = await deps.rules.roleRules(roleRef, namespace);
    // kube looks the role up in the context of the binding's request, so the response names bindings.
    if (dangling.length > 0) throw notFound({ group: rbacGroup, resource }, roleRef.name);
    await requireHeld(deps, { user, namespace, resource, name: object.metadata.name }, rules);
  };

const roleResources = tableOf({
  ClusterRole: 'clusterroles',
  Role: 'roles',
});

/** Throws 400 if no role can be stored under the name. */
function requireKey({ kind, name }: RoleRef, namespace: string): void {
  if (kind === 'Role' && namespace === '') throw badRequest('Namespace parameter required.');
  if (!name) throw badRequest('Name parameter required.');
  const problems = validatePathSegmentName(name);
  if (problems.length === 0) return;
  throw badRequest(`Name parameter invalid: ${goQuote(name)}: ${problems.join(';')}`);
}

const isPrivileged = (user: UserInfo): boolean => user.groups.includes(privilegedGroup);

async function mayOn(
  { authorizer }: EscalationDeps,
  user: UserInfo,
  verb: string,
  resource: string,
  namespace: string,
  name: string,
): Promise<boolean> {
  const { decision } = await authorizer.authorize({
    user,
    verb,
    resourceRequest: true,
    apiGroup: rbacGroup,
    apiVersion: '*',
    resource,
    subresource: '',
    namespace,
    name,
    path: '',
  });
  return decision === 'allow';
}

/** The user whose permissions are checked, and the object that grants permissions. */
interface Grant {
  user: UserInfo;
  namespace: string;
  resource: string;
  name: string | undefined;
}

async function requireHeld(
  { rules }: EscalationDeps,
  { user, namespace, resource, name = '' }: Grant,
  granted: readonly PolicyRule[],
  why?: string,
): Promise<void> {
  const own = await rules.rulesFor(user, namespace);
  const error = await finishSoon(escalationError(user, own, granted, resource), pause);
  if (error !== undefined) throw forbidden({ group: rbacGroup, resource }, name, why ?? error);
}

/** True for changes of garbage collection fields only: they grant nothing, and the garbage collector needs no permissions for them. */
function changesOnlyGarbageFields(object: KubeObject, old: KubeObject): boolean {
  const rest = ({ metadata, ...body }: KubeObject) => {
    const { ownerReferences: _o, finalizers: _f, managedFields: _m, selfLink: _s, ...meta } = metadata;
    return { ...body, meta };
  };
  return deepEqual(rest(object), rest(old));
}
