import { setAbsent, type TypeDefaults } from '@annex/kinds';
import type { JsonObject } from '@annex/machinery';
import { defaultModes } from './status.ts';

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

export const serviceDefaults: TypeDefaults = {
  'io.k8s.api.core.v1.Service': defaultModes,
  'io.k8s.apimachinery.pkg.apis.meta.v1.Condition': { lastTransitionTime: null },
  'io.k8s.api.core.v1.ServiceSpec': serviceSpec,
  'io.k8s.api.core.v1.ServicePort': (port) => {
    setAbsent(port, { protocol: 'TCP' });
    if (!port.targetPort) port.targetPort = port.port ?? 0;
  },
};
