import { builtinKinds, type ResourceKind } from '@annex/kinds';

/** A kind, and the smallest object of it that is accepted: its fields besides the metadata. */
export interface StoredExample {
  kind: ResourceKind;
  /** `group/version/resource`, for the title of a test. */
  resource: string;
  /** The name, where it cannot be chosen. */
  name?: string;
  fields: Record<string, unknown>;
}

const containers = [{ name: 'c', image: 'i' }];
const template = (spec: object = {}) => ({
  metadata: { labels: { a: 'b' } },
  spec: { containers, ...spec },
});
const workload = { selector: { matchLabels: { a: 'b' } }, template: template() };
const scaled = { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' }, maxReplicas: 3 };
const storageRequest = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
const role = { rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] };
const rbac = 'rbac.authorization.k8s.io';
const subjects = [{ kind: 'User', name: 'jane', apiGroup: rbac }];
const webhooks = [
  {
    name: 'w.example.com',
    clientConfig: { url: 'https://127.0.0.1:1/' },
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    failurePolicy: 'Ignore',
    rules: [
      { apiGroups: ['none.example.com'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['nones'] },
    ],
  },
];
const matchConstraints = {
  resourceRules: [
    { apiGroups: ['none.example.com'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['nones'] },
  ],
};
const device = { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'd' } }] } };
const event = {
  regarding: { kind: 'Pod', namespace: 'default', name: 'p' },
  reason: 'Tested',
  action: 'Test',
  type: 'Normal',
  reportingController: 'example.com/c',
  reportingInstance: 'c-1',
  eventTime: '2026-01-02T03:04:05.000006Z',
};
const widgets = {
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
};

/** By `group/version/resource`. `undefined`: no client creates objects of the kind. */
const fields: Readonly<Record<string, Record<string, unknown> | undefined>> = {
  '/v1/componentstatuses': undefined,
  '/v1/configmaps': { data: { a: 'b' }, binaryData: { c: 'AAE=' } },
  '/v1/endpoints': { subsets: [{ addresses: [{ ip: '192.0.2.1' }], ports: [{ port: 80 }] }] },
  '/v1/events': {
    involvedObject: { kind: 'Pod', namespace: 'default', name: 'p' },
    reason: 'Tested',
    count: 2,
  },
  '/v1/limitranges': { spec: { limits: [{ type: 'Pod', max: { cpu: '5' } }] } },
  '/v1/namespaces': {},
  '/v1/nodes': { spec: { podCIDR: '10.1.0.0/24', podCIDRs: ['10.1.0.0/24'] } },
  '/v1/persistentvolumeclaims': { spec: storageRequest, status: { phase: 'Pending' } },
  '/v1/persistentvolumes': {
    spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, hostPath: { path: '/a' } },
  },
  '/v1/pods': { spec: { containers, terminationGracePeriodSeconds: 0 } },
  '/v1/podtemplates': { template: template() },
  '/v1/replicationcontrollers': { spec: { selector: { a: 'b' }, template: template() } },
  '/v1/resourcequotas': { spec: { hard: { 'count/secrets': '100' } } },
  '/v1/secrets': { stringData: { a: 'b' } },
  '/v1/serviceaccounts': {},
  '/v1/services': { spec: { type: 'NodePort', ports: [{ port: 80 }], selector: { a: 'b' } } },
  'apiregistration.k8s.io/v1/apiservices': {
    spec: {
      group: 'stored.example.com',
      version: 'v1',
      groupPriorityMinimum: 1,
      versionPriority: 1,
      service: { namespace: 'default', name: 's' },
      insecureSkipTLSVerify: true,
    },
  },
  'apps/v1/controllerrevisions': { revision: 1, data: { a: 'b' } },
  'apps/v1/daemonsets': { spec: workload },
  'apps/v1/deployments': { spec: workload },
  'apps/v1/replicasets': { spec: workload },
  'apps/v1/statefulsets': { spec: { ...workload, serviceName: 's' } },
  'events.k8s.io/v1/events': event,
  'autoscaling/v2/horizontalpodautoscalers': { spec: scaled },
  'autoscaling/v1/horizontalpodautoscalers': { spec: scaled },
  'batch/v1/cronjobs': {
    spec: {
      schedule: '* * * * *',
      jobTemplate: { spec: { template: template({ restartPolicy: 'Never' }) } },
    },
  },
  'batch/v1/jobs': { spec: { template: { spec: { containers, restartPolicy: 'Never' } } } },
  'certificates.k8s.io/v1/certificatesigningrequests': undefined,
  'networking.k8s.io/v1/ingressclasses': { spec: { controller: 'example.com/c' } },
  'networking.k8s.io/v1/ingresses': {
    spec: { defaultBackend: { service: { name: 's', port: { number: 80 } } } },
  },
  'networking.k8s.io/v1/ipaddresses': {
    spec: { parentRef: { resource: 'services', namespace: 'default', name: 'none' } },
  },
  'networking.k8s.io/v1/networkpolicies': { spec: { podSelector: {} } },
  'networking.k8s.io/v1/servicecidrs': { spec: { cidrs: ['10.9.0.0/24'] } },
  'policy/v1/poddisruptionbudgets': { spec: { minAvailable: 1, selector: { matchLabels: { a: 'b' } } } },
  'rbac.authorization.k8s.io/v1/clusterrolebindings': {
    roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'view' },
    subjects,
  },
  'rbac.authorization.k8s.io/v1/clusterroles': role,
  'rbac.authorization.k8s.io/v1/rolebindings': {
    roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'view' },
    subjects,
  },
  'rbac.authorization.k8s.io/v1/roles': role,
  'storage.k8s.io/v1/csidrivers': { spec: {} },
  'storage.k8s.io/v1/csinodes': { spec: { drivers: [{ name: 'd.example.com', nodeID: 'n' }] } },
  'storage.k8s.io/v1/csistoragecapacities': { storageClassName: 's', capacity: '1Gi' },
  'storage.k8s.io/v1/storageclasses': { provisioner: 'example.com/p' },
  'storage.k8s.io/v1/volumeattachments': {
    spec: { attacher: 'a', nodeName: 'n', source: { persistentVolumeName: 'v' } },
  },
  'storage.k8s.io/v1/volumeattributesclasses': { driverName: 'd.example.com', parameters: { a: 'b' } },
  'admissionregistration.k8s.io/v1/mutatingadmissionpolicies': {
    spec: {
      matchConstraints,
      reinvocationPolicy: 'Never',
      mutations: [
        {
          patchType: 'JSONPatch',
          jsonPatch: { expression: '[JSONPatch{op: "add", path: "/a", value: "b"}]' },
        },
      ],
    },
  },
  'admissionregistration.k8s.io/v1/mutatingadmissionpolicybindings': { spec: { policyName: 'none' } },
  'admissionregistration.k8s.io/v1/mutatingwebhookconfigurations': { webhooks },
  'admissionregistration.k8s.io/v1/validatingadmissionpolicies': {
    spec: { matchConstraints, validations: [{ expression: 'true' }] },
  },
  'admissionregistration.k8s.io/v1/validatingadmissionpolicybindings': {
    spec: { policyName: 'none', validationActions: ['Deny'] },
  },
  'admissionregistration.k8s.io/v1/validatingwebhookconfigurations': { webhooks },
  'apiextensions.k8s.io/v1/customresourcedefinitions': widgets,
  'scheduling.k8s.io/v1/priorityclasses': { value: 7 },
  'coordination.k8s.io/v1/leases': {
    spec: { holderIdentity: 'me', renewTime: '2026-01-02T03:04:05.000006Z' },
  },
  'node.k8s.io/v1/runtimeclasses': { handler: 'h' },
  'discovery.k8s.io/v1/endpointslices': { addressType: 'IPv4', endpoints: [{ addresses: ['192.0.2.1'] }] },
  'resource.k8s.io/v1/deviceclasses': { spec: {} },
  'resource.k8s.io/v1/resourceclaims': { spec: device },
  'resource.k8s.io/v1/resourceclaimtemplates': { spec: { spec: device } },
  'resource.k8s.io/v1/resourceslices': {
    spec: {
      driver: 'd.example.com',
      nodeName: 'n',
      pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
      devices: [{ name: 'd' }],
    },
  },
  'flowcontrol.apiserver.k8s.io/v1/flowschemas': {
    spec: { priorityLevelConfiguration: { name: 'global-default' }, matchingPrecedence: 500 },
  },
  'flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations': {
    spec: { type: 'Limited', limited: { nominalConcurrencyShares: 1, limitResponse: { type: 'Reject' } } },
  },
};

/** Names that cannot be chosen. */
const names: Readonly<Record<string, string>> = {
  'apiregistration.k8s.io/v1/apiservices': 'v1.stored.example.com',
  'apiextensions.k8s.io/v1/customresourcedefinitions': 'widgets.example.com',
  'networking.k8s.io/v1/ipaddresses': '10.0.77.1',
};

const ofKind = (kind: ResourceKind): string => `${kind.group}/${kind.version}/${kind.resource}`;

/** Kinds that are stored, and have no example although clients create their objects. */
export const withoutExample = (): string[] =>
  builtinKinds()
    .filter(({ storage }) => storage !== undefined)
    .map(ofKind)
    .filter((key) => !Object.hasOwn(fields, key));

/** An example of each kind whose objects clients create. */
export const storedExamples: readonly StoredExample[] = builtinKinds().flatMap((kind) => {
  const resource = ofKind(kind);
  const own = fields[resource];
  const name = names[resource];
  return own === undefined ? [] : [{ kind, resource, fields: own, ...(name === undefined ? {} : { name }) }];
});
