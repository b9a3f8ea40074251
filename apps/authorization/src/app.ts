import { type AuthorizerChain, rbacGroup, type RuleResolver } from '@annex/auth';
import { type AdmissionPlugin, type App, createResourceApp, type ServerDeps } from '@annex/server';
import { builtinDocuments } from '@annex/openapi';
import { builtinKinds, KindRegistry, registryDiscovery } from '@annex/kinds';
import { rbacKinds } from './kinds/rbac/group.ts';
import { reconcilePolicy } from './reconcile-policy.ts';
import { reviewGroup, reviewKinds } from './kinds/authorization/group.ts';

/** What the authorization app is built on: who decides, and who knows the rules of a user. */
export interface AuthorizationDeps extends ServerDeps {
  authorizer: AuthorizerChain;
  /** The rules of RBAC, beyond which nobody may grant anything. */
  rules: RuleResolver;
}

/** What the authorization app is made with. */
export interface AuthorizationConfig {
  admission?: readonly AdmissionPlugin[];
}

/** The app of `rbac.authorization.k8s.io` and `authorization.k8s.io`. */
export interface AuthorizationApp extends App {
  readonly groups: readonly string[];
}

/** Serves roles, bindings and access reviews; makes the default roles and bindings when it starts. */
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
