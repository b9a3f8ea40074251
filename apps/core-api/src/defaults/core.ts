import { getOwn, isObject, type JsonObject, type JsonValue, setOwn } from '@annex/machinery';
import { type Default, setAbsent, type TypeDefaults } from '@annex/kinds';
import { podDefaults } from '../kinds/shared/pod-spec/defaults.ts';

const withLabels = (value: unknown): JsonObject | undefined => {
  const metadata = isObject(value) ? value.metadata : undefined;
  const labels = isObject(metadata) ? metadata.labels : undefined;
  return isObject(labels) ? labels : undefined;
};

const isEmpty = (value: unknown) => !isObject(value) || Object.keys(value).length === 0;

/** Objects without labels get those of their pod template. */
export function labelsFromTemplate(object: JsonObject): void {
  const labels = withLabels(isObject(object.spec) ? object.spec.template : undefined);
  if (labels === undefined || !isEmpty(withLabels(object))) return;
  object.metadata = { ...(object.metadata as JsonObject), labels: { ...labels } };
}

const replicationController: Default = (object) => {
  if (!isObject(object.spec)) return;
  const labels = withLabels(object.spec.template);
  if (labels !== undefined && isEmpty(object.spec.selector)) object.spec.selector = { ...labels };
  labelsFromTemplate(object);
};

const secret: Default = (object) => {
  setAbsent(object, { type: 'Opaque' });
  if (!isObject(object.stringData)) return;
  const encoded = Object.entries(object.stringData).map(([key, text]) => [
    key,
    Buffer.from(String(text)).toString('base64'),
  ]);
  object.data = {
    ...(object.data as JsonObject | undefined),
    ...(Object.fromEntries(encoded) as JsonObject),
  };
  delete object.stringData;
};

const limitRangeItem: Default = (item) => {
  if (item.type !== 'Container') return;
  const { max = {}, min = {} } = item;
  setAbsent(item, { default: {}, defaultRequest: {} });
  setAbsent(item.default as JsonObject, max as JsonObject);
  setAbsent(item.defaultRequest as JsonObject, item.default as JsonObject);
  setAbsent(item.defaultRequest as JsonObject, min as JsonObject);
  for (const field of ['default', 'defaultRequest']) if (isEmpty(getOwn(item, field))) delete item[field];
};

const namespace: Default = (object) => {
  const metadata = object.metadata as JsonObject | undefined;
  const name = metadata?.name;
  // A name that is still to be generated has no label yet.
  if (metadata === undefined || typeof name !== 'string' || name === '') return;
  metadata.labels = { ...(metadata.labels as JsonObject | undefined), 'kubernetes.io/metadata.name': name };
};

/** A field and the younger list that begins with its value: where both are set and differ, the field decides. */
const firstOf =
  (
    field: string,
    list: string,
    toItem: (value: JsonValue) => JsonValue,
    ofItem: (item: JsonValue) => JsonValue,
  ): Default =>
  (object) => {
    const value = getOwn(object, field);
    const items = getOwn(object, list);
    const [first] = Array.isArray(items) ? items : [];
    if (!value && first !== undefined) setOwn(object, field, ofItem(first));
    else if (value && (first === undefined || ofItem(first) !== value)) setOwn(object, list, [toItem(value)]);
  };

const same = (value: JsonValue) => value;
const podIps = firstOf(
  'podIP',
  'podIPs',
  (ip) => ({ ip }),
  (item) => (isObject(item) ? (item.ip ?? '') : ''),
);

/** The defaults of the core group. */
export const coreDefaults: TypeDefaults = {
  ...podDefaults,
  'io.k8s.api.authentication.v1.TokenRequestSpec': { boundObjectRef: null },
  'io.k8s.api.authentication.v1.TokenRequestStatus': { expirationTimestamp: null },
  'io.k8s.api.core.v1.EndpointPort': { protocol: 'TCP' },
  'io.k8s.api.core.v1.Event': { eventTime: null, firstTimestamp: null, lastTimestamp: null },
  'io.k8s.api.core.v1.EventSeries': { lastObservedTime: null },
  'io.k8s.api.core.v1.LimitRangeItem': limitRangeItem,
  'io.k8s.api.core.v1.Namespace': namespace,
  'io.k8s.api.core.v1.NamespaceCondition': { lastTransitionTime: null },
  'io.k8s.api.core.v1.NamespaceStatus': { phase: 'Active' },
  'io.k8s.api.core.v1.NodeCondition': { lastHeartbeatTime: null, lastTransitionTime: null },
  'io.k8s.api.core.v1.NodeSpec': firstOf('podCIDR', 'podCIDRs', same, same),
  'io.k8s.api.core.v1.NodeStatus': (status) => {
    if (isObject(status.capacity)) setAbsent(status, { allocatable: status.capacity });
  },
  'io.k8s.api.core.v1.PersistentVolumeClaimCondition': { lastProbeTime: null, lastTransitionTime: null },
  'io.k8s.api.core.v1.PersistentVolumeClaimSpec': { volumeMode: 'Filesystem' },
  'io.k8s.api.core.v1.PersistentVolumeClaimStatus': { phase: 'Pending' },
  'io.k8s.api.core.v1.PersistentVolumeSpec': {
    persistentVolumeReclaimPolicy: 'Retain',
    volumeMode: 'Filesystem',
  },
  'io.k8s.api.core.v1.PersistentVolumeStatus': { phase: 'Pending' },
  'io.k8s.api.core.v1.PodStatus': podIps,
  'io.k8s.api.core.v1.ReplicationController': replicationController,
  'io.k8s.api.core.v1.ReplicationControllerCondition': { lastTransitionTime: null },
  'io.k8s.api.core.v1.Secret': secret,
  'io.k8s.api.core.v1.ServiceSpec': serviceSpec,
  'io.k8s.api.core.v1.ServicePort': (port) => {
    setAbsent(port, { protocol: 'TCP' });
    if (!port.targetPort) port.targetPort = port.port ?? 0;
  },
};

const clusterTypes = new Set<unknown>(['ClusterIP', 'NodePort', 'LoadBalancer']);

function serviceSpec(spec: JsonObject): void {
  setAbsent(spec, { sessionAffinity: 'None', type: 'ClusterIP' });
  if (spec.sessionAffinity === 'None') delete spec.sessionAffinityConfig;
  if (spec.sessionAffinity === 'ClientIP') {
    const { clientIP } = (spec.sessionAffinityConfig ?? {}) as { clientIP?: JsonObject };
    if (clientIP?.timeoutSeconds === undefined)
      spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: 10800 } };
  }
  const reachedFromOutside =
    spec.type === 'NodePort' ||
    spec.type === 'LoadBalancer' ||
    (spec.type === 'ClusterIP' && Array.isArray(spec.externalIPs) && spec.externalIPs.length > 0);
  if (reachedFromOutside) setAbsent(spec, { externalTrafficPolicy: 'Cluster' });
  if (clusterTypes.has(spec.type)) setAbsent(spec, { internalTrafficPolicy: 'Cluster' });
  if (spec.type === 'LoadBalancer') setAbsent(spec, { allocateLoadBalancerNodePorts: true });
}
