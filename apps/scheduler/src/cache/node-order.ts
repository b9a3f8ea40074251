import type { NodeInfo } from '../objects/node-info.ts';

const zoneLabels = ['topology.kubernetes.io/zone', 'failure-domain.beta.kubernetes.io/zone'] as const;
const regionLabels = ['topology.kubernetes.io/region', 'failure-domain.beta.kubernetes.io/region'] as const;

/** Returns a name of the zone of a node; nodes without zone share one. */
export function zoneOf({ labels }: NodeInfo): string {
  const first = (names: readonly string[]) => names.map((name) => labels.get(name)).find((value) => value);
  return `${first(regionLabels) ?? ''}:${first(zoneLabels) ?? ''}`;
}

/** Returns the nodes with those of each zone in turn, so that a search that ends early has seen all zones. */
export function byZonesInTurn(nodes: Iterable<NodeInfo>): NodeInfo[] {
  const zones = new Map<string, NodeInfo[]>();
  for (const node of nodes) {
    const zone = zoneOf(node);
    const members = zones.get(zone);
    if (members === undefined) zones.set(zone, [node]);
    else members.push(node);
  }
  if (zones.size <= 1) return [...zones.values()].flat();
  const order: NodeInfo[] = [];
  const remaining = [...zones.values()];
  for (let i = 0; remaining.some((members) => i < members.length); i++)
    for (const members of remaining) {
      const node = members[i];
      if (node !== undefined) order.push(node);
    }
  return order;
}
