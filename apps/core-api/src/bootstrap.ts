import { formatTime, getOwn, type ManagedFieldsEntry, tableOf } from '@annex/machinery';
import { ensureObject, type ServerDeps, type RequiredObject } from '@annex/server';
import { addressPrefix } from './kinds/core/services/cluster-ips.ts';
import { systemClasses } from './kinds/scheduling/priorityclasses/validation.ts';
import type { IpRange } from './kinds/core/services/ip-range.ts';

/** The properties of the server that the initial objects contain. */
export interface BootstrapConfig {
  serviceClusterIpRange: IpRange;
  /** The address that clients use to reach the server: the endpoint of the Service `kubernetes`. */
  advertise: { address: string; port: number };
}

const systemNamespaces = ['default', 'kube-system', 'kube-public', 'kube-node-lease'];

/** Creates the initial objects of every server concurrently. Existing objects keep the fields that the server does not own. */
export async function bootstrap(deps: ServerDeps, config: BootstrapConfig): Promise<void> {
  const wanted = [
    ...systemNamespaces.map(namespace),
    ...kubernetesService(config),
    serviceCidr(deps, config),
    ...Object.keys(systemClasses).map(priorityClass),
    ...serviceAddress(config),
    legacyTokenTracking(deps),
  ];
  await Promise.all(wanted.map((object) => ensureObject(deps, object)));
}

const namespace = (name: string): RequiredObject => ({
  key: `/registry/namespaces/${name}`,
  own: [],
  managed: {},
  object: {
    kind: 'Namespace',
    apiVersion: 'v1',
    metadata: { name, labels: { 'kubernetes.io/metadata.name': name } },
    spec: { finalizers: ['kubernetes'] },
    status: { phase: 'Active' },
  },
});

const usedFor = tableOf({
  'system-cluster-critical':
    'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
  'system-node-critical': 'Used for system critical pods that must not be moved from their current node.',
});

const priorityClass = (name: string): RequiredObject => ({
  key: `/registry/priorityclasses/${name}`,
  own: [],
  object: {
    kind: 'PriorityClass',
    apiVersion: 'scheduling.k8s.io/v1',
    metadata: { name, generation: 1 },
    value: getOwn(systemClasses, name),
    description: usedFor.get(name),
    preemptionPolicy: 'PreemptLowerPriority',
  },
});

/** Without what an allocator adds. Ports are a list with keys. */
const serviceFields = {
  'f:spec': {
    'f:clusterIP': {},
    'f:internalTrafficPolicy': {},
    'f:ipFamilyPolicy': {},
    'f:ports': {
      '.': {},
      'k:{"port":443,"protocol":"TCP"}': {
        '.': {},
        'f:name': {},
        'f:port': {},
        'f:protocol': {},
        'f:targetPort': {},
      },
    },
    'f:sessionAffinity': {},
    'f:type': {},
  },
};

/** Returns the Service `kubernetes`. Its endpoints are those of all replicas. */
function kubernetesService({ advertise, serviceClusterIpRange: range }: BootstrapConfig): RequiredObject[] {
  const metadata = { name: 'kubernetes', namespace: 'default' };
  return [
    {
      key: '/registry/services/specs/default/kubernetes',
      own: ['spec'],
      managed: serviceFields,
      object: {
        kind: 'Service',
        apiVersion: 'v1',
        metadata: { ...metadata, labels: { component: 'apiserver', provider: 'kubernetes' } },
        spec: {
          clusterIP: range.at(1n),
          clusterIPs: [range.at(1n)],
          internalTrafficPolicy: 'Cluster',
          ipFamilies: [range.family],
          ipFamilyPolicy: 'SingleStack',
          ports: [{ name: 'https', port: 443, protocol: 'TCP', targetPort: advertise.port }],
          sessionAffinity: 'None',
          type: 'ClusterIP',
        },
        status: { loadBalancer: {} },
      },
    },
  ];
}

/** The controller of kube-apiserver applies the condition of a ServiceCIDR. */
const appliedCondition = (time: string): ManagedFieldsEntry => ({
  manager: 'kubernetes-service-cidr-controller',
  operation: 'Apply',
  apiVersion: 'networking.k8s.io/v1',
  time,
  fieldsType: 'FieldsV1',
  fieldsV1: {
    'f:status': {
      'f:conditions': {
        'k:{"type":"Ready"}': {
          '.': {},
          'f:lastTransitionTime': {},
          'f:message': {},
          'f:status': {},
          'f:type': {},
        },
      },
    },
  },
  subresource: 'status',
});

const serviceCidr = (
  { clock }: Pick<ServerDeps, 'clock'>,
  { serviceClusterIpRange: range }: BootstrapConfig,
): RequiredObject => ({
  key: '/registry/servicecidrs/kubernetes',
  own: ['spec'],
  object: {
    kind: 'ServiceCIDR',
    apiVersion: 'networking.k8s.io/v1',
    metadata: { name: 'kubernetes', managedFields: [appliedCondition(formatTime(clock.now()))] },
    spec: { cidrs: [range.text] },
    status: {
      conditions: [
        {
          type: 'Ready',
          status: 'True',
          lastTransitionTime: formatTime(clock.now()),
          reason: '',
          message: 'Kubernetes default Service CIDR is ready',
        },
      ],
    },
  },
});

/** Reserves the address of the Service `kubernetes`. */
const serviceAddress = ({ serviceClusterIpRange: range }: BootstrapConfig): RequiredObject[] => [
  {
    key: addressPrefix + range.at(1n),
    own: ['spec'],
    object: {
      kind: 'IPAddress',
      apiVersion: 'networking.k8s.io/v1',
      metadata: {
        name: range.at(1n),
        labels: {
          'ipaddress.kubernetes.io/ip-family': range.family,
          'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io',
        },
      },
      spec: { parentRef: { resource: 'services', namespace: 'default', name: 'kubernetes' } },
    },
  },
];

/**
 * The ConfigMap with the date since which the use of Secret tokens is tracked. kube-controller-manager waits for it.
 * https://kubernetes.io/docs/reference/access-authn-authz/service-accounts-admin/#legacy-serviceaccount-token-tracking-controller
 */
const legacyTokenTracking = ({ clock }: Pick<ServerDeps, 'clock'>): RequiredObject => ({
  key: '/registry/configmaps/kube-system/kube-apiserver-legacy-service-account-token-tracking',
  own: [],
  object: {
    kind: 'ConfigMap',
    apiVersion: 'v1',
    metadata: { name: 'kube-apiserver-legacy-service-account-token-tracking', namespace: 'kube-system' },
    data: { since: formatTime(clock.now()).slice(0, 'yyyy-mm-dd'.length) },
  },
});
