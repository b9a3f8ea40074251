import type { Controller, ControllerDeps } from './controller.ts';

/** A controller that can be run. */
export interface ControllerRow {
  /** The name in kube-controller-manager, if it has this controller. */
  name: string;
  /** The name before 1.28, which is still accepted. */
  alias: string;
  what: string;
  /** Loads the module of the controller. */
  create(deps: ControllerDeps): Promise<Controller>;
}

/** All controllers. */
export const controllerRows: readonly ControllerRow[] = [
  {
    name: 'namespace-controller',
    alias: 'namespace',
    what: 'deletes the contents of namespaces that are being deleted',
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
    what: 'maintains a ServiceAccount "default" in every namespace',
    create: async (deps) => (await import('./serviceaccount-controller.ts')).serviceAccountController(deps),
  },
  {
    name: 'serviceaccount-token-controller',
    alias: 'serviceaccount-token',
    what: 'adds tokens to Secrets of service accounts',
    create: async (deps) => (await import('./service-account-tokens.ts')).serviceAccountTokens(deps),
  },
  {
    name: 'root-ca-certificate-publisher-controller',
    alias: 'root-ca-cert-publisher',
    what: 'maintains a ConfigMap "kube-root-ca.crt" in every namespace',
    create: async (deps) => (await import('./root-ca-publisher.ts')).rootCaPublisher(deps),
  },
  {
    name: 'clusterrole-aggregation-controller',
    alias: 'clusterrole-aggregation',
    what: 'sets the rules of aggregated ClusterRoles',
    create: async (deps) => (await import('./clusterrole-aggregation.ts')).clusterRoleAggregation(deps),
  },
  {
    name: 'resourcequota-controller',
    alias: 'resourcequota',
    what: 'measures the used amounts of ResourceQuotas',
    create: async (deps) => (await import('./quotas/quota-controller.ts')).quotaController(deps),
  },
  {
    name: 'unserved-workloads-controller',
    alias: 'unserved-workloads',
    what: 'writes an event about a workload that no controller has observed',
    create: async (deps) => (await import('./unserved-workloads.ts')).unservedWorkloads(deps),
  },
];
