import { type KubeObject, Quantity } from '@annex/machinery';
import type { QuotaEvaluator } from './evaluator.ts';

interface ServiceSpec {
  type?: string;
  ports?: { nodePort?: number }[];
  allocateLoadBalancerNodePorts?: boolean;
}

const specOf = (service: KubeObject): ServiceSpec => (service.spec ?? {}) as ServiceSpec;
const names = new Set(['count/services', 'services', 'services.nodeports', 'services.loadbalancers']);
const exposed = new Set(['NodePort', 'LoadBalancer']);
const exposedType = (service: KubeObject): string => {
  const { type = '' } = specOf(service);
  return exposed.has(type) ? type : '';
};

/** Counts Services, load balancers, and node ports, including those that are not allocated yet. */
export const services: QuotaEvaluator = {
  group: '',
  resource: 'services',
  handles: ({ subresource }) => subresource === '',
  measures: (name) => names.has(name),
  usage(service) {
    const type = exposedType(service);
    return new Map([
      ['count/services', Quantity.of(1)],
      ['services', Quantity.of(1)],
      ['services.loadbalancers', Quantity.of(type === 'LoadBalancer' ? 1 : 0)],
      ['services.nodeports', Quantity.of(type === '' ? 0 : nodePorts(specOf(service)))],
    ]);
  },
  inScope: () => false,
  frees: (service, previous) => exposedType(service) !== exposedType(previous),
};

function nodePorts({ type, ports = [], allocateLoadBalancerNodePorts }: ServiceSpec): number {
  const onlyNamed = type === 'LoadBalancer' && allocateLoadBalancerNodePorts === false;
  return onlyNamed ? ports.filter(({ nodePort = 0 }) => nodePort !== 0).length : ports.length;
}
