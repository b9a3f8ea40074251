import type { Controller, ControllerDeps } from './controller.ts';

/** A controller that can be run. */
export interface ControllerRow {
  /** As kube-controller-manager calls it. */
  name: string;
  /** The name that it had before 1.28, which is still understood. */
  alias: string;
  what: string;
  /** Loaded only where it is run. */
  create(deps: ControllerDeps): Promise<Controller>;
}

/** Every controller there is. */
export const controllerRows: readonly ControllerRow[] = [
  {
    name: 'namespace-controller',
    alias: 'namespace',
    what: 'deletes the contents of namespaces that are going away',
    create: async (deps) => (await import('./namespaces/namespace-controller.ts')).namespaceController(deps),
  },
  {
    name: 'garbage-collector-controller',
    alias: 'garbagecollector',
    what: 'deletes objects whose owners are gone',
    create: async (deps) => (await import('./garbage/garbage-collector.ts')).garbageCollector(deps),
  },
  {
    name: 'serviceaccount-controller',
    alias: 'serviceaccount',
    what: 'keeps a ServiceAccount "default" in every namespace',
    create: async (deps) => (await import('./serviceaccount-controller.ts')).serviceAccountController(deps),
  },
  {
    name: 'serviceaccount-token-controller',
    alias: 'serviceaccount-token',
    what: 'fills Secrets of service accounts with tokens',
    create: async (deps) => (await import('./service-account-tokens.ts')).serviceAccountTokens(deps),
  },
  {
    name: 'root-ca-certificate-publisher-controller',
    alias: 'root-ca-cert-publisher',
    what: 'keeps a ConfigMap "kube-root-ca.crt" in every namespace',
    create: async (deps) => (await import('./root-ca-publisher.ts')).rootCaPublisher(deps),
  },
  {
    name: 'clusterrole-aggregation-controller',
    alias: 'clusterrole-aggregation',
    what: 'fills aggregated ClusterRoles with the rules of those that they select',
    create: async (deps) => (await import('./clusterrole-aggregation.ts')).clusterRoleAggregation(deps),
  },
  {
    name: 'resourcequota-controller',
    alias: 'resourcequota',
    what: 'measures what is used of ResourceQuotas',
    create: async (deps) => (await import('./quotas/quota-controller.ts')).quotaController(deps),
  },
];
