import type { Cell } from '@annex/kinds';
import type { KubeObject } from '@annex/machinery';
import { at, type Cells, labelsText, listAt, loadBalancers, textCell } from '../../shared/cells.ts';

function externalIp(service: KubeObject): string {
  const type = at(service, 'spec.type');
  const own = (at(service, 'spec.externalIPs') ?? []) as string[];
  if (type === 'ExternalName') return String(at(service, 'spec.externalName') ?? '');
  if (type === undefined) return '<unknown>';
  if (type !== 'LoadBalancer') return own.length > 0 ? own.join(',') : '<none>';
  return [...loadBalancers(service), ...own].join(',') || '<pending>';
}

const servicePorts: Cell = (service) =>
  listAt(service, 'spec.ports')
    .map(
      ({ port, nodePort, protocol }) =>
        `${String(port)}${nodePort ? `:${String(nodePort)}` : ''}/${String(protocol)}`,
    )
    .join(',') || '<none>';

export const serviceColumns: Cells = {
  Type: textCell('spec.type'),
  'Cluster-IP': (service) => ((at(service, 'spec.clusterIPs') ?? []) as string[])[0] ?? '<none>',
  'External-IP': externalIp,
  'Port(s)': servicePorts,
  Selector: (service) => labelsText(at(service, 'spec.selector')),
};
