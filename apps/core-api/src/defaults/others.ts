import { getOwn, isObject, type JsonObject, setOwn } from '@annex/machinery';
import { type Default, setAbsent, type TypeDefaults } from '@annex/kinds';

const webhook = {
  failurePolicy: 'Fail',
  matchPolicy: 'Equivalent',
  namespaceSelector: {},
  objectSelector: {},
  timeoutSeconds: 10,
};

const cpuMetric = {
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
};

const scaleUp = {
  stabilizationWindowSeconds: 0,
  selectPolicy: 'Max',
  policies: [
    { type: 'Pods', value: 4, periodSeconds: 15 },
    { type: 'Percent', value: 100, periodSeconds: 15 },
  ],
};
const scaleDown = { selectPolicy: 'Max', policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }] };

const autoscalerSpec: Default = (spec) => {
  setAbsent(spec, { minReplicas: 1 });
  if (!Array.isArray(spec.metrics) || spec.metrics.length === 0) spec.metrics = [structuredClone(cpuMetric)];
  if (!isObject(spec.behavior)) return;
  setAbsent(spec.behavior, { scaleUp: {}, scaleDown: {} });
  setAbsent(spec.behavior.scaleUp as JsonObject, scaleUp);
  setAbsent(spec.behavior.scaleDown as JsonObject, scaleDown);
};

const networkPolicySpec: Default = (spec) => {
  if (Array.isArray(spec.policyTypes) && spec.policyTypes.length > 0) return;
  const hasEgress = Array.isArray(spec.egress) && spec.egress.length > 0;
  spec.policyTypes = hasEgress ? ['Ingress', 'Egress'] : ['Ingress'];
};

const csiDriverSpec: Default = (spec) => {
  setAbsent(spec, {
    attachRequired: true,
    podInfoOnMount: false,
    storageCapacity: false,
    fsGroupPolicy: 'ReadWriteOnceWithFSType',
    requiresRepublish: false,
    seLinuxMount: false,
  });
  if (!Array.isArray(spec.volumeLifecycleModes) || spec.volumeLifecycleModes.length === 0) {
    spec.volumeLifecycleModes = ['Persistent'];
  }
};

const deviceRequest: Default = (request) => {
  if (!request.allocationMode) request.allocationMode = 'ExactCount';
  if (request.allocationMode === 'ExactCount' && !request.count) request.count = 1;
};

const zeroMeansAbsent =
  (fields: Record<string, number>): Default =>
  (value) => {
    for (const [field, fallback] of Object.entries(fields))
      if (!getOwn(value, field)) setOwn(value, field, fallback);
  };

const admission = 'io.k8s.api.admissionregistration.v1.';
const resource = 'io.k8s.api.resource.v1.';
const flowcontrol = 'io.k8s.api.flowcontrol.v1.';
const matchResources = { matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {} };

/** The defaults of the remaining groups. */
export const otherDefaults: TypeDefaults = {
  [`${admission}ValidatingWebhook`]: webhook,
  [`${admission}MutatingWebhook`]: { ...webhook, reinvocationPolicy: 'Never' },
  [`${admission}RuleWithOperations`]: { scope: '*' },
  [`${admission}NamedRuleWithOperations`]: { scope: '*' },
  [`${admission}ServiceReference`]: { port: 443 },
  [`${admission}ValidatingAdmissionPolicySpec`]: { failurePolicy: 'Fail' },
  [`${admission}MutatingAdmissionPolicySpec`]: { failurePolicy: 'Fail' },
  [`${admission}MatchResources`]: matchResources,
  'io.k8s.api.autoscaling.v1.HorizontalPodAutoscalerSpec': { minReplicas: 1 },
  'io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerSpec': autoscalerSpec,
  'io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerCondition': { lastTransitionTime: null },
  'io.k8s.api.certificates.v1.CertificateSigningRequestCondition': {
    lastUpdateTime: null,
    lastTransitionTime: null,
  },
  'io.k8s.api.discovery.v1.EndpointPort': { name: '', protocol: 'TCP' },
  'io.k8s.api.events.v1.Event': {
    deprecatedFirstTimestamp: null,
    deprecatedLastTimestamp: null,
    eventTime: null,
  },
  [`${flowcontrol}FlowSchemaSpec`]: zeroMeansAbsent({ matchingPrecedence: 1000 }),
  [`${flowcontrol}ExemptPriorityLevelConfiguration`]: { nominalConcurrencyShares: 0, lendablePercent: 0 },
  [`${flowcontrol}LimitedPriorityLevelConfiguration`]: { nominalConcurrencyShares: 30, lendablePercent: 0 },
  [`${flowcontrol}QueuingConfiguration`]: zeroMeansAbsent({ handSize: 8, queues: 64, queueLengthLimit: 50 }),
  'io.k8s.api.networking.v1.NetworkPolicySpec': networkPolicySpec,
  'io.k8s.api.networking.v1.NetworkPolicyPort': { protocol: 'TCP' },
  'io.k8s.api.networking.v1.IngressClassParametersReference': { scope: 'Cluster' },
  [`${resource}ExactDeviceRequest`]: deviceRequest,
  [`${resource}DeviceSubRequest`]: deviceRequest,
  'io.k8s.api.scheduling.v1.PriorityClass': { preemptionPolicy: 'PreemptLowerPriority' },
  'io.k8s.api.storage.v1.StorageClass': { reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' },
  'io.k8s.api.storage.v1.CSIDriverSpec': csiDriverSpec,
  'io.k8s.api.storage.v1.VolumeError': { time: null },
};
