import type { JsonObject } from '@annex/machinery';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ServedCoreApi, serveCoreApi } from '../served.fixture.ts';

let api: ServedCoreApi;
beforeAll(async () => {
  api = await serveCoreApi();
  await api.request('POST', '/api/v1/namespaces', { metadata: { name: 'default' } });
});
afterAll(() => api.stop());

const registration = '/apis/admissionregistration.k8s.io/v1';
const metadata = { name: 'a' };
const rule = { apiGroups: ['x'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['y'] };
const webhook = {
  name: 'a.b.c',
  clientConfig: { url: 'https://x.y/z' },
  rules: [rule],
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
};
const webhooks = (changes: JsonObject) => ({ metadata, webhooks: [{ ...webhook, ...changes }] });
const binding = (changes: JsonObject) => ({ metadata, spec: { policyName: 'p', ...changes } });
const event = {
  metadata,
  eventTime: '2026-01-02T00:00:00.000000Z',
  reportingController: 'a.b/c',
  reportingInstance: 'i',
  action: 'A',
  reason: 'R',
  regarding: { kind: 'Pod', name: 'p', namespace: 'default' },
  type: 'Normal',
};
const newEvents = '/apis/events.k8s.io/v1/namespaces/default/events';
const policyBindings = `${registration}/validatingadmissionpolicybindings`;
const mutatingBindings = `${registration}/mutatingadmissionpolicybindings`;
const hooks = `${registration}/validatingwebhookconfigurations`;

const controller = (templateMetadata: JsonObject) => ({
  metadata,
  spec: {
    selector: { a: 'b' },
    template: { metadata: templateMetadata, spec: { containers: [{ name: 'c', image: 'i' }] } },
  },
});

const slice = {
  driver: 'x.y',
  nodeName: 'n',
  pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
};

/** Each object is refused with 422; the errors are those of kube-apiserver 1.36.3. */
it.each<[string, string, JsonObject, string[]]>([
  [
    'a CertificateSigningRequest whose name has a slash',
    '/apis/certificates.k8s.io/v1/certificatesigningrequests',
    {
      metadata: { name: 'a/b' },
      spec: { signerName: 'a.b/c', usages: ['client auth'], request: '' },
    },
    [
      'metadata.name: Invalid value: "a/b": may not contain \'/\'',
      'spec.request: Invalid value: "": PEM block type must be CERTIFICATE REQUEST',
    ],
  ],
  [
    'a webhook with an empty failure policy',
    hooks,
    webhooks({ failurePolicy: '' }),
    ['webhooks[0].failurePolicy: Unsupported value: "": supported values: "Fail", "Ignore"'],
  ],
  [
    'a webhook with empty side effects',
    hooks,
    webhooks({ sideEffects: '' }),
    ['webhooks[0].sideEffects: Unsupported value: "": supported values: "None", "NoneOnDryRun"'],
  ],
  [
    'a rule of a webhook with a null operation',
    hooks,
    webhooks({ rules: [{ ...rule, operations: [null] }] }),
    [
      'webhooks[0].rules[0].operations[0]: Unsupported value: "": supported values: "*", "CONNECT", "CREATE", "DELETE", "UPDATE"',
    ],
  ],
  [
    'a path of a webhook that begins with a character beyond ASCII',
    hooks,
    webhooks({ clientConfig: { service: { namespace: 'n', name: 's', path: 'é' } } }),
    [
      'webhooks[0].clientConfig.service.path: Invalid value: "é": must start with a \'/\'',
      expect.stringContaining('path: Invalid value: "é": segment[0]: a lowercase RFC 1123') as string,
    ],
  ],
  [
    'a binding with an empty action',
    policyBindings,
    binding({ validationActions: [''] }),
    ['spec.validationActions[0]: Unsupported value: "": supported values: "Audit", "Deny", "Warn"'],
  ],
  [
    'a binding of a mutating policy to deletions',
    mutatingBindings,
    binding({ matchResources: { resourceRules: [{ ...rule, operations: ['DELETE'] }] } }),
    [
      'spec.matchResources.resourceRules.operations: Unsupported value: "DELETE": supported values: "*", "CONNECT", "CREATE", "UPDATE"',
    ],
  ],
  [
    'a PodDisruptionBudget with an empty eviction policy',
    '/apis/policy/v1/namespaces/default/poddisruptionbudgets',
    { metadata, spec: { minAvailable: 1, unhealthyPodEvictionPolicy: '' } },
    [
      'spec.unhealthyPodEvictionPolicy: Unsupported value: "": supported values: "AlwaysAllow", "IfHealthyBudget"',
    ],
  ],
  [
    'a PriorityClass with an empty preemption policy',
    '/apis/scheduling.k8s.io/v1/priorityclasses',
    { metadata, value: 1, preemptionPolicy: '' },
    ['preemptionPolicy: Required value'],
  ],
  [
    'a FlowSchema with an unknown distinguisher',
    '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas',
    { metadata, spec: { priorityLevelConfiguration: { name: 'x' }, distinguisherMethod: { type: 'x' } } },
    [
      'spec.distinguisherMethod.type: Unsupported value: {"Type":"x"}: supported values: "ByNamespace", "ByUser"',
    ],
  ],
  [
    'a Service whose health check port is no port',
    '/api/v1/namespaces/default/services',
    {
      metadata,
      spec: {
        type: 'LoadBalancer',
        externalTrafficPolicy: 'Local',
        healthCheckNodePort: 99999,
        ports: [{ port: 80 }],
      },
    },
    ['spec.healthCheckNodePort: Invalid value: 99999: must be between 1 and 65535, inclusive'],
  ],
  [
    'a CSIDriver with an empty policy and a short-lived token',
    '/apis/storage.k8s.io/v1/csidrivers',
    { metadata, spec: { fsGroupPolicy: '', tokenRequests: [{ audience: 'a', expirationSeconds: 1 }] } },
    [
      'spec.fsGroupPolicy: Unsupported value: "": supported values: "File", "None", "ReadWriteOnceWithFSType"',
      'spec.tokenRequests[0].expirationSeconds: Invalid value: 1: may not specify a duration less than 10 minutes',
    ],
  ],
  [
    'a CSINode with repeated topology keys and a long name of a driver',
    '/apis/storage.k8s.io/v1/csinodes',
    { metadata, spec: { drivers: [{ name: 'a'.repeat(64), nodeID: 'n', topologyKeys: ['a', 'a'] }] } },
    [
      'spec.drivers[0].name: Too long: may not be more than 63 bytes',
      'spec.drivers[0]: Duplicate value: "a"',
    ],
  ],
  [
    'a StorageClass with an empty binding mode and an empty topology',
    '/apis/storage.k8s.io/v1/storageclasses',
    { metadata, provisioner: 'a.b/c', volumeBindingMode: '', allowedTopologies: [{}] },
    [
      'volumeBindingMode: Unsupported value: "": supported values: "Immediate", "WaitForFirstConsumer"',
      'allowedTopologies[0].matchLabelExpressions: Duplicate value: ""',
    ],
  ],
  [
    'a VolumeAttachment of a volume with an invalid name',
    '/apis/storage.k8s.io/v1/volumeattachments',
    { metadata, spec: { attacher: 'a.b', nodeName: 'n', source: { persistentVolumeName: '' } } },
    [
      'spec.source.persistentVolumeName: Required value: must specify non empty persistentVolumeName',
      expect.stringContaining('spec.source.persistentVolumeName: Invalid value: "": a lowercase') as string,
    ],
  ],
  [
    'an IngressClass whose parameters have a slash and an empty scope',
    '/apis/networking.k8s.io/v1/ingressclasses',
    { metadata, spec: { controller: 'a.b/c', parameters: { kind: 'a/b', name: 'n', scope: '' } } },
    [
      'spec.parameters.kind: Invalid value: "a/b": may not contain \'/\'',
      'spec.parameters.scope: Unsupported value: "": supported values: "Cluster", "Namespace"',
    ],
  ],
  [
    'an IPAddress whose name is no address',
    '/apis/networking.k8s.io/v1/ipaddresses',
    { metadata, spec: { parentRef: { resource: 'services', name: 'a' } } },
    ['metadata.name: Invalid value: "a": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'],
  ],
  [
    'a RuntimeClass with a toleration of nothing',
    '/apis/node.k8s.io/v1/runtimeclasses',
    { metadata, handler: 'h', scheduling: { tolerations: [{}] } },
    [
      'scheduling.tolerations[0].operator: Invalid value: "": operator must be Exists when `key` is empty, which means "match all values and all keys"',
    ],
  ],
  [
    'an EndpointSlice with an empty protocol and repeated hints',
    '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices',
    {
      metadata,
      addressType: 'IPv4',
      endpoints: [{ addresses: ['1.2.3.4'], hints: { forZones: [{ name: 'z' }, { name: 'z' }] } }],
      ports: [{ protocol: '' }],
    },
    [
      'ports[0].protocol: Unsupported value: "": supported values: "SCTP", "TCP", "UDP"',
      'endpoints[0].hints.forZones[1].name: Duplicate value: "z"',
    ],
  ],
  [
    'Endpoints with a malformed address, which is checked twice',
    '/api/v1/namespaces/default/endpoints',
    { metadata, subsets: [{ addresses: [{ ip: 'x' }] }] },
    [
      'subsets[0].addresses[0].ip: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
      'subsets[0].addresses[0].ip: Invalid value: "x": must be a valid IP address',
    ],
  ],
  [
    'a Pod with an unknown field of nodes, spread by an unknown policy, that sleeps too long',
    '/api/v1/namespaces/default/pods',
    {
      metadata,
      spec: {
        terminationGracePeriodSeconds: 1,
        containers: [{ name: 'c', image: 'i', lifecycle: { preStop: { sleep: { seconds: 2 } } } }],
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchFields: [{ key: 'x', operator: 'In', values: ['n'] }] }],
            },
          },
        },
        topologySpreadConstraints: [
          { maxSkew: 1, topologyKey: 'k', whenUnsatisfiable: 'DoNotSchedule', nodeAffinityPolicy: '' },
        ],
      },
    },
    [
      'spec.containers[0].lifecycle.preStop.sleep: Invalid value: 2: must be non-negative and less than terminationGracePeriodSeconds (1)',
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchFields[0].key: Invalid value: "x": not a valid field selector key',
      'spec.topologySpreadConstraints[0].nodeAffinityPolicy: Unsupported value: "": supported values: "Honor", "Ignore"',
    ],
  ],
  [
    'a StatefulSet whose claims ask for nothing',
    '/apis/apps/v1/namespaces/default/statefulsets',
    {
      metadata,
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
        volumeClaimTemplates: [{ metadata: { name: 'v' } }],
      },
    },
    [
      'spec.volumeClaimTemplates[0].spec.accessModes: Required value: at least 1 access mode is required',
      'spec.volumeClaimTemplates[0].spec.resources[storage]: Required value',
    ],
  ],
  [
    'a controller whose template has empty labels',
    '/api/v1/namespaces/default/replicationcontrollers',
    controller({ labels: {} }),
    ['spec.template.metadata.labels: Invalid value: {}: `selector` does not match template `labels`'],
  ],
  [
    'a controller whose template has no labels',
    '/api/v1/namespaces/default/replicationcontrollers',
    controller({}),
    ['spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`'],
  ],
  [
    'a ReplicationController with a long name',
    '/api/v1/namespaces/default/replicationcontrollers',
    { ...controller({ labels: { a: 'b' } }), metadata: { name: 'a'.repeat(254), generateName: 'A b!' } },
    [`metadata.name: Invalid value: "${'a'.repeat(254)}": must be no more than 253 bytes`],
  ],
  [
    'an autoscaler whose policies are empty',
    '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers',
    {
      metadata,
      spec: {
        maxReplicas: 2,
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
        behavior: { scaleUp: { policies: [] }, scaleDown: {} },
      },
    },
    ['spec.behavior.scaleUp.policies: Required value: must specify at least one Policy'],
  ],
  [
    'a template of claims with empty finalizers',
    '/apis/resource.k8s.io/v1/namespaces/default/resourceclaimtemplates',
    { metadata, spec: { metadata: { finalizers: [] }, spec: { devices: { requests: [] } } } },
    ['spec.metadata.finalizers: Forbidden: cannot be set'],
  ],
  ['a newer event without a time', newEvents, { ...event, eventTime: null }, ['eventTime: Required value']],
  [
    'a newer event without an action and a reporter',
    newEvents,
    { ...event, action: '', reportingController: '' },
    [
      'reportingController: Required value',
      'reportingController: Invalid value: "": name part must be non-empty',
      expect.stringContaining('name part must consist of') as string,
      'action: Required value',
    ],
  ],
  [
    'a newer event with a series of one event and an older field',
    newEvents,
    { ...event, series: { count: 1 }, deprecatedCount: 1 },
    [
      'series.count: Invalid value: "": should be at least 2',
      'series.lastObservedTime: Required value',
      'count: Invalid value: "": needs to be unset',
    ],
  ],
  [
    'a newer event of another type',
    newEvents,
    { ...event, type: 'x' },
    ['type: Invalid value: "": has invalid value: x'],
  ],
])('%s is refused', async (_what, path, object, errors) => {
  const { code: status, body } = await api.request('POST', `${path}?dryRun=All`, object);
  const { details } = body as { details?: { causes?: { field: string; message: string }[] } };
  expect([status, details?.causes?.map(({ field, message }) => `${field}: ${message}`)]).toEqual([
    422,
    errors,
  ]);
});

it('errors of events in the newer group name the kind of the core group', async () => {
  const { body } = await api.request('POST', newEvents, { ...event, type: 'x' });
  expect(body).toMatchObject({ message: expect.stringMatching(/^Event "a" is invalid/) as string });
});

it('an update of a newer event changes only its series', async () => {
  expect((await api.request('POST', newEvents, event)).code).toBe(201);
  const update = {
    ...event,
    reason: 'S',
    series: { count: 2, lastObservedTime: event.eventTime },
    deprecatedSource: { component: 'c' },
  };
  const { body } = await api.request('PUT', `${newEvents}/a`, update);
  expect(body).toMatchObject({
    message:
      'Event "a" is invalid: [reason: Invalid value: "S": field is immutable, source: Invalid value: {"Component":"c","Host":""}: field is immutable]',
  });
});

it('a count that an update of an event removes is printed as zero', async () => {
  const events = '/api/v1/namespaces/default/events';
  const old = { metadata: { name: 'counted', namespace: 'default' }, involvedObject: {}, count: 3 };
  expect((await api.request('POST', events, old)).code).toBe(201);
  const { metadata: kept } = (await api.request('GET', `${newEvents}/counted`)).body;
  const { message } = await api.request('PUT', `${newEvents}/counted`, { metadata: kept });
  expect(message).toContain('count: Invalid value: 0: field is immutable');
});

it('an event of the core group has a reporter after a write in the newer group', async () => {
  const events = '/api/v1/namespaces/default/events';
  const old = { metadata: { name: 'reported', namespace: 'default' }, involvedObject: {} };
  expect((await api.request('POST', events, old)).code).toBe(201);
  const series = { count: 2, lastObservedTime: event.eventTime };
  const { code } = await api.request(
    'PATCH',
    `${newEvents}/reported`,
    { series },
    'application/merge-patch+json',
  );
  expect(code).toBe(200);
  const { body } = await api.request('GET', `${events}/reported`);
  expect(body).toMatchObject({ reportingComponent: '', reportingInstance: '', series });
});

it.each<[string, string, JsonObject, JsonObject]>([
  [
    'the fields of a Lease behind a feature gate are dropped',
    '/apis/coordination.k8s.io/v1/namespaces/default/leases',
    { metadata, spec: { holderIdentity: 'h', strategy: 'OldestEmulationVersion', preferredHolder: 'x' } },
    { spec: { holderIdentity: 'h' } },
  ],
  [
    'finalizers of a Namespace may repeat',
    '/api/v1/namespaces',
    { metadata: { name: 'b' }, spec: { finalizers: ['a.b/c', 'a.b/c'] } },
    { spec: { finalizers: ['a.b/c', 'a.b/c', 'kubernetes'] } },
  ],
  [
    'a capacity of a device in a ResourceSlice is zero by default',
    '/apis/resource.k8s.io/v1/resourceslices',
    { metadata, spec: { ...slice, devices: [{ name: 'd', capacity: { m: {} } }] } },
    { spec: { ...slice, devices: [{ name: 'd', capacity: { m: { value: '0' } } }] } },
  ],
  [
    'a PodDisruptionBudget may have any name without slashes',
    '/apis/policy/v1/namespaces/default/poddisruptionbudgets',
    { metadata: { name: 'A b!' }, spec: { minAvailable: 1 } },
    { metadata: { name: 'A b!' } },
  ],
])('%s', async (_what, path, object, expected) => {
  const { code: status, body } = await api.request('POST', `${path}?dryRun=All`, object);
  expect([status, body]).toMatchObject([201, expected]);
  if ('spec' in expected) expect((body as JsonObject).spec).toEqual(expected.spec);
});

const ownedBy = (body: unknown): unknown =>
  (body as { metadata: { managedFields?: { fieldsV1: JsonObject }[] } }).metadata.managedFields?.[0]
    ?.fieldsV1;

it.each<[string, string, JsonObject, JsonObject | undefined]>([
  [
    'the value of a PriorityClass that is zero has no manager',
    '/apis/scheduling.k8s.io/v1/priorityclasses',
    { metadata, value: 0 },
    { 'f:preemptionPolicy': {} },
  ],
  [
    'a set has a manager beside those of its items',
    policyBindings,
    binding({ validationActions: ['Deny'] }),
    { 'f:spec': { 'f:policyName': {}, 'f:validationActions': { '.': {}, 'v:"Deny"': {} } } },
  ],
  [
    'arbitrary JSON has one manager',
    '/apis/apps/v1/namespaces/default/controllerrevisions',
    { metadata, revision: 1, data: { a: 1 } },
    { 'f:data': {}, 'f:revision': {} },
  ],
  [
    'an empty list that Go always writes has a manager',
    '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices',
    { metadata, addressType: 'IPv4', ports: [], endpoints: [] },
    { 'f:addressType': {}, 'f:endpoints': {}, 'f:ports': {} },
  ],
  [
    'an absent list that Go always writes has none',
    '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices',
    { metadata, addressType: 'IPv4', endpoints: [] },
    { 'f:addressType': {}, 'f:endpoints': {} },
  ],
  [
    'the empty fields of an event have no manager',
    '/api/v1/namespaces/default/events',
    { metadata: { name: 'b' }, involvedObject: { namespace: 'default' }, reason: 'R' },
    { 'f:involvedObject': {}, 'f:reason': {} },
  ],
])('%s', async (_what, path, object, owned) => {
  const { body } = await api.request('POST', `${path}?dryRun=All`, object);
  expect(ownedBy(body)).toEqual(owned);
});

it('replicas that are zero have a manager', async () => {
  const spec = {
    replicas: 0,
    selector: { matchLabels: { a: 'b' } },
    template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
  };
  const path = '/apis/apps/v1/namespaces/default/deployments?dryRun=All';
  const { body } = await api.request('POST', path, { metadata, spec });
  expect(ownedBy(body)).toMatchObject({ 'f:spec': { 'f:replicas': {} } });
});

it('a claim has its data source in both fields, and its spec does not change', async () => {
  const path = '/api/v1/namespaces/default/persistentvolumeclaims';
  const dataSource = { kind: 'PersistentVolumeClaim', name: 'x' };
  const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, dataSource };
  const { body } = await api.request('POST', path, { metadata, spec });
  expect(body).toMatchObject({ spec: { dataSourceRef: { ...dataSource, apiGroup: null } } });
  expect((await api.request('PUT', `${path}/a`, { metadata, spec })).code).toBe(200);
  const larger = { ...spec, resources: { requests: { storage: '2Gi' } } };
  expect((await api.request('PUT', `${path}/a`, { metadata, spec: larger })).message).toContain(
    'spec: Forbidden: spec is immutable after creation',
  );
});

it('rows of FlowSchemas have the order of their precedence', async () => {
  const path = '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas';
  for (const [name, matchingPrecedence] of [
    ['a', 300],
    ['b', 200],
  ] as const)
    await api.request('POST', path, {
      metadata: { name },
      spec: { priorityLevelConfiguration: { name: 'x' }, matchingPrecedence },
    });
  const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
  const table = await api.client.json<{ rows: { cells: unknown[] }[] }>({ path, headers: { accept } });
  const names = table.rows.map(({ cells }) => cells[0]).filter((name) => name === 'a' || name === 'b');
  expect(names).toEqual(['b', 'a']);
});

it.each<[string, string, JsonObject, string]>([
  [
    'a field of two embedded structs',
    `${registration}/validatingadmissionpolicies`,
    { metadata, spec: { matchConstraints: { resourceRules: [{ apiGroups: {} }] } } },
    'json: cannot unmarshal object into Go struct field NamedRuleWithOperations.spec.matchConstraints.resourceRules.RuleWithOperations.Rule.apiGroups of type []string',
  ],
  [
    'a field of one embedded struct',
    '/apis/networking.k8s.io/v1/namespaces/default/ingresses',
    { metadata, spec: { rules: [{ http: [] }] } },
    'json: cannot unmarshal array into Go struct field IngressRule.spec.rules.IngressRuleValue.http of type v1.HTTPIngressRuleValue',
  ],
  [
    'a time beyond ASCII',
    '/api/v1/namespaces/default/events',
    { metadata, firstTimestamp: 'é"' },
    'parsing time "\\xc3\\xa9\\"" as "2006-01-02T15:04:05Z07:00": cannot parse "\\xc3\\xa9\\"" as "2006"',
  ],
  [
    'a time of microseconds without a fraction',
    '/apis/coordination.k8s.io/v1/namespaces/default/leases',
    { metadata, spec: { renewTime: '2026-01-01T00:00:00Z' } },
    'parsing time "2026-01-01T00:00:00Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000"',
  ],
  [
    'a time of microseconds with one digit of a fraction',
    '/apis/coordination.k8s.io/v1/namespaces/default/leases',
    { metadata, spec: { renewTime: '2026-01-01T00:00:00.5Z' } },
    'parsing time "2026-01-01T00:00:00.5Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse ".5Z" as ".000000"',
  ],
  [
    'a time of microseconds with seven digits of a fraction',
    '/apis/coordination.k8s.io/v1/namespaces/default/leases',
    { metadata, spec: { renewTime: '2026-01-01T00:00:00.5000001Z' } },
    'parsing time "2026-01-01T00:00:00.5000001Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "1Z" as "Z07:00"',
  ],
])('the decoding error of %s', async (_what, path, object, error) => {
  expect((await api.request('POST', path, object)).message).toContain(error);
});

it('parameters of a StorageClass that become empty are printed as an empty map', async () => {
  const classes = '/apis/storage.k8s.io/v1/storageclasses';
  const storageClass = { metadata, provisioner: 'a/b', parameters: { a: 'b' } };
  expect((await api.request('POST', classes, storageClass)).code).toBe(201);
  const { body } = await api.request('PUT', `${classes}/a`, { ...storageClass, parameters: {} });
  expect(body).toMatchObject({
    message: 'StorageClass.storage.k8s.io "a" is invalid: parameters: Invalid value: {}: field is immutable',
  });
});

it('an update of an EndpointSlice with a topology, which is dropped, is another generation', async () => {
  const slices = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices';
  const endpoint = { addresses: ['1.2.3.4'] };
  const withTopology = { ...endpoint, deprecatedTopology: { a: 'b' } };
  const slice = { metadata, addressType: 'IPv4', endpoints: [withTopology] };
  expect((await api.request('POST', slices, slice)).code).toBe(201);
  const updates = [slice, { ...slice, endpoints: [endpoint] }];
  for (const update of updates)
    expect((await api.request('PUT', `${slices}/a`, update)).body).toMatchObject({
      metadata: { generation: 2 },
      endpoints: [endpoint],
    });
});

it('a ReplicationController whose status is written without labels has those of its template', async () => {
  const controllers = '/api/v1/namespaces/default/replicationcontrollers';
  expect((await api.request('POST', controllers, controller({ labels: { a: 'b' } }))).code).toBe(201);
  const written = { metadata, status: { replicas: 1 } };
  expect((await api.request('PUT', `${controllers}/a/status`, written)).body).toMatchObject({
    metadata: { labels: { a: 'b' } },
    status: { replicas: 1 },
  });
});
