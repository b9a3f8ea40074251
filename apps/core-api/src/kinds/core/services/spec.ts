import type { KubeObject } from '@annex/machinery';

/** The members of `spec` of a Service that depend on each other. */
export interface ServiceSpec {
  type: 'ClusterIP' | 'NodePort' | 'LoadBalancer' | 'ExternalName';
  ports?: ServicePort[];
  selector?: Record<string, string>;
  clusterIP?: string;
  clusterIPs?: string[];
  ipFamilies?: string[];
  ipFamilyPolicy?: string;
  externalName?: string;
  externalIPs?: string[];
  externalTrafficPolicy?: string;
  internalTrafficPolicy?: string;
  allocateLoadBalancerNodePorts?: boolean;
  healthCheckNodePort?: number;
  loadBalancerClass?: string;
  loadBalancerSourceRanges?: string[];
  sessionAffinity?: string;
  sessionAffinityConfig?: { clientIP?: { timeoutSeconds?: number } };
  trafficDistribution?: string;
}

export interface ServicePort {
  name?: string;
  protocol: string;
  port: number;
  targetPort?: number | string;
  nodePort?: number;
  appProtocol?: string;
}

/** Returns the spec of a Service, or an empty one. */
export function serviceSpec(service: KubeObject): ServiceSpec {
  service.spec ??= {};
  return service.spec as ServiceSpec;
}

export const isHeadless = (spec: ServiceSpec): boolean =>
  spec.clusterIPs?.length === 1 && spec.clusterIPs[0] === 'None';
export const needsClusterIp = (spec: ServiceSpec): boolean => spec.type !== 'ExternalName';
export const needsNodePort = (spec: ServiceSpec): boolean =>
  spec.type === 'NodePort' || (spec.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts !== false);
const hasNodePort = ({ type }: ServiceSpec): boolean => type === 'NodePort' || type === 'LoadBalancer';
export const needsHealthCheckPort = (spec: ServiceSpec): boolean =>
  spec.type === 'LoadBalancer' && spec.externalTrafficPolicy === 'Local';
export const isExternallyAccessible = (spec: ServiceSpec): boolean =>
  spec.type === 'LoadBalancer' ||
  spec.type === 'NodePort' ||
  (spec.type === 'ClusterIP' && (spec.externalIPs?.length ?? 0) > 0);

const sameList = (a: readonly string[] = [], b: readonly string[] = []) =>
  a.length === b.length && a.every((item, i) => item === b[i]);

const sameClusterIps = (a: ServiceSpec, b: ServiceSpec) =>
  (a.clusterIP ?? '') === (b.clusterIP ?? '') && sameList(a.clusterIPs, b.clusterIPs);

/** Old clients send `clusterIP` only, new ones also `clusterIPs`: makes the members consistent. */
export function linkClusterIps(spec: ServiceSpec, old?: ServiceSpec): void {
  if (old === undefined) {
    if (spec.clusterIP && !spec.clusterIPs?.length) spec.clusterIPs = [spec.clusterIP];
    return;
  }
  if (old.clusterIPs?.length && !spec.clusterIPs?.length && old.clusterIP === spec.clusterIP) {
    spec.clusterIPs = [...old.clusterIPs];
  }
  if ((old.clusterIP ?? '') === (spec.clusterIP ?? '') || !sameList(old.clusterIPs, spec.clusterIPs)) return;
  if (spec.clusterIP) spec.clusterIPs = [spec.clusterIP];
  else delete spec.clusterIPs;
}

/** Sets allocated values that the update does not contain, so that the same manifest can be applied again. */
export function keepAllocated(spec: ServiceSpec, old: ServiceSpec): void {
  if (needsClusterIp(old) && needsClusterIp(spec)) {
    if (!spec.clusterIP && old.clusterIP) spec.clusterIP = old.clusterIP;
    if (!spec.clusterIPs?.length && old.clusterIPs?.length) spec.clusterIPs = [...old.clusterIPs];
    if (spec.ipFamilyPolicy === undefined && old.ipFamilyPolicy) spec.ipFamilyPolicy = old.ipFamilyPolicy;
    if (!spec.ipFamilies?.length && old.ipFamilies?.length) spec.ipFamilies = [...old.ipFamilies];
  }
  if (needsNodePort(old) && needsNodePort(spec)) keepNodePorts(spec.ports ?? [], old.ports ?? []);
  if (
    needsHealthCheckPort(old) &&
    needsHealthCheckPort(spec) &&
    !spec.healthCheckNodePort &&
    old.healthCheckNodePort
  ) {
    spec.healthCheckNodePort = old.healthCheckNodePort;
  }
}

function keepNodePorts(ports: ServicePort[], old: ServicePort[]): void {
  const taken = new Set(ports.map((port) => port.nodePort));
  const byName = new Map(old.map((port) => [port.name ?? '', port.nodePort]));
  for (const port of ports) {
    const before = byName.get(port.name ?? '');
    if (!port.nodePort && before && !taken.has(before)) port.nodePort = before;
  }
}

/** Removes values that the old type required and the new type forbids, unless the update changed them. */
export function dropForType(spec: ServiceSpec, old: ServiceSpec): void {
  if (needsClusterIp(old) && !needsClusterIp(spec)) {
    if (sameClusterIps(old, spec)) {
      delete spec.clusterIP;
      delete spec.clusterIPs;
    }
    if (sameList(old.ipFamilies, spec.ipFamilies)) delete spec.ipFamilies;
    if (old.ipFamilyPolicy === spec.ipFamilyPolicy) delete spec.ipFamilyPolicy;
  }
  if (hasNodePort(old) && !hasNodePort(spec)) {
    const before = new Set((old.ports ?? []).map((port) => port.nodePort));
    if ((spec.ports ?? []).every((port) => before.has(port.nodePort))) {
      for (const port of spec.ports ?? []) delete port.nodePort;
    }
  }
  const dropUnless = (needs: (spec: ServiceSpec) => boolean, field: keyof ServiceSpec) => {
    if (needs(old) && !needs(spec) && old[field] === spec[field]) delete spec[field];
  };
  const isLoadBalancer = ({ type }: ServiceSpec) => type === 'LoadBalancer';
  dropUnless(needsHealthCheckPort, 'healthCheckNodePort');
  dropUnless(isLoadBalancer, 'allocateLoadBalancerNodePorts');
  dropUnless(isLoadBalancer, 'loadBalancerClass');
  dropUnless(isExternallyAccessible, 'externalTrafficPolicy');
}
