import { type AuthorizerChain, rbacGroup, type RuleResolver } from '@annex/auth';
import { type AdmissionPlugin, type App, createResourceApp, type ServerDeps } from '@annex/server';
import { builtinDocuments } from '@annex/openapi';
import { builtinKinds, KindRegistry, registryDiscovery } from '@annex/kinds';
import { rbacKinds } from './kinds/rbac/group.ts';
import { reconcilePolicy } from './reconcile-policy.ts';
import { reviewGroup, reviewKinds } from './kinds/authorization/group.ts';

/** Dependencies of the authorization app: the authorizer, and the RBAC rules of each user. */
export interface AuthorizationDeps extends ServerDeps {
  authorizer: AuthorizerChain;
  /** The RBAC rules, used to reject grants of permissions that the user does not have. */
  rules: RuleResolver;
}

/** Configuration of the authorization app. */
export interface AuthorizationConfig {
  admission?: readonly AdmissionPlugin[];
}

/** The app that serves `rbac.authorization.k8s.io` and `authorization.k8s.io`. */
export interface AuthorizationApp extends App {
  readonly groups: readonly string[];
}

/** Serves roles, bindings and access reviews; creates the default roles and bindings at start. */
export function createAuthorizationApp(
  deps: AuthorizationDeps,
  config: AuthorizationConfig = {},
): AuthorizationApp {
  const groups = [reviewGroup, rbacGroup];
  const serves = (group: string) => groups.includes(group);
  const kinds = new KindRegistry();
  for (const kind of builtinKinds(serves, [...reviewKinds(deps), ...rbacKinds(deps)])) kinds.add(kind);
  const app = createResourceApp({
    name: 'authorization',
    deps,
    kinds,
    discovery: registryDiscovery(kinds, builtinDocuments(kinds, serves)),
    ...(config.admission ? { admission: config.admission } : {}),
    start: () => reconcilePolicy(deps, kinds),
  });
  return { ...app, groups };
}
