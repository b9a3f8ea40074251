import { builtinKinds, type KindExtension, type ResourceKind, type ServerDeps } from '@annex/server';
import { coreDefaults } from './defaults/core.ts';
import { otherDefaults } from './defaults/others.ts';
import { workloadDefaults } from './defaults/workloads.ts';
import { configMaps } from './strategies/config-maps.ts';
import type { IpRange } from './strategies/ip-range.ts';
import { namespaces } from './strategies/namespaces.ts';
import { secrets } from './strategies/secrets.ts';
import { services } from './strategies/services.ts';

/** What the hooks of the kinds depend on. */
export interface CoreKindsConfig {
  serviceClusterIpRange: IpRange;
}

/** Groups that other apps serve. */
const elsewhere = new Set([
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
  'authorization.k8s.io',
  'rbac.authorization.k8s.io',
]);

/** True for the groups that this app serves. */
export const isCoreApiGroup = (group: string): boolean => !elsewhere.has(group);

const defaultsOf = (group: string) =>
  group === '' ? coreDefaults : group === 'apps' || group === 'batch' ? workloadDefaults : otherDefaults;

const hooks = (deps: ServerDeps, config: CoreKindsConfig): Readonly<Record<string, KindExtension>> => ({
  '/configmaps': configMaps,
  '/namespaces': namespaces(deps),
  '/secrets': secrets,
  '/services': services(deps, config.serviceClusterIpRange),
});

/** Every built-in kind of this app with its defaults, hooks and table cells. */
export function coreKinds(deps: ServerDeps, config: CoreKindsConfig): ResourceKind[] {
  const added = hooks(deps, config);
  return builtinKinds(isCoreApiGroup, (group, resource): KindExtension => ({
    defaults: defaultsOf(group),
    ...added[`${group}/${resource}`],
  }));
}
