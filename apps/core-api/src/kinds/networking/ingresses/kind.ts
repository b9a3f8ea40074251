import { listAt, loadBalancers, textCell } from '../../shared/cells.ts';
import { childOf } from '../../shared/checks.ts';
import { loadBalancerErrors } from '../../shared/load-balancer-status.ts';
import type { BuiltinKind } from '../../builtin-kind.ts';
import { ingressHosts } from './columns.ts';
import { validateIngressSpec, validateNewIngress } from './validation.ts';
import { ingressWarnings } from './warnings.ts';

export const ingresses: BuiltinKind = {
  group: 'networking.k8s.io',
  resource: 'ingresses',
  validation: {
    object: (value, at) => validateIngressSpec(childOf(value, 'spec'), at.child('spec')),
    create: validateNewIngress,
  },
  strategy: {
    allowUnconditionalUpdate: true,
    generation: true,
  },
  warnings: ingressWarnings,
  subresources: { status: { validate: (updated, parent) => loadBalancerErrors(updated, parent) } },
  cells: {
    Class: textCell('spec.ingressClassName', '<none>'),
    Hosts: ingressHosts,
    Address: (ingress) => loadBalancers(ingress).join(','),
    Ports: (ingress) => (listAt(ingress, 'spec.tls').length > 0 ? '80, 443' : '80'),
  },
};
