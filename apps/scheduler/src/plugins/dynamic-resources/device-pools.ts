import type { ObjectStore } from '../../cache/object-store.ts';
import type { Device, ResourceSlice } from '../../objects/devices.ts';
import type { NodeInfo } from '../../objects/node-info.ts';
import { compileNodeSelector } from '../../objects/node-selector.ts';
import type { NodeSelector } from '../../objects/pod.ts';

/** A device that a node can use. */
export interface NodeDevice {
  readonly driver: string;
  readonly pool: string;
  readonly device: Device;
  /** `driver/pool/device`. */
  readonly id: string;
  /** The nodes that can use it; `undefined` for all. */
  readonly nodes: NodeSelector | undefined;
}

export const deviceId = (driver: string, pool: string, device: string): string =>
  `${driver}/${pool}/${device}`;

const only = (node: string): NodeSelector => ({
  nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }] }],
});

interface Placement {
  nodeName?: string;
  nodeSelector?: NodeSelector;
  allNodes?: boolean;
}

/** Returns the nodes of devices if they include a node. */
function nodesOf(
  { nodeName, nodeSelector, allNodes }: Placement,
  node: NodeInfo,
): { nodes: NodeSelector | undefined } | undefined {
  if (nodeName) return nodeName === node.name ? { nodes: only(nodeName) } : undefined;
  if (allNodes) return { nodes: undefined };
  return nodeSelector !== undefined && compileNodeSelector(nodeSelector)(node)
    ? { nodes: nodeSelector }
    : undefined;
}

/** What a node can use. */
export interface NodeDevices {
  readonly devices: readonly NodeDevice[];
  /** The first of its pools that is being updated: some of its slices are missing. */
  readonly incompletePool: string | undefined;
}

/** Returns the devices that a node can use, of pools that are complete in their newest generation. */
export function devicesOf(node: NodeInfo, slices: ObjectStore<ResourceSlice>): NodeDevices {
  const pools = new Map<string, ResourceSlice[]>();
  for (const slice of slices.values()) {
    const { driver, pool } = slice.spec;
    const key = `${driver}/${pool.name}`;
    const known = pools.get(key) ?? [];
    const generation = known[0]?.spec.pool.generation ?? -1;
    if (pool.generation > generation) pools.set(key, [slice]);
    else if (pool.generation === generation) known.push(slice);
  }
  const devices: NodeDevice[] = [];
  let incompletePool: string | undefined;
  for (const [key, members] of pools) {
    const found = members.flatMap((slice) => devicesOfSlice(slice, node));
    if (members.length === members[0]?.spec.pool.resourceSliceCount) devices.push(...found);
    else if (found.length > 0) incompletePool ??= key;
  }
  return { devices, incompletePool };
}

function devicesOfSlice({ spec }: ResourceSlice, node: NodeInfo): NodeDevice[] {
  const { driver, pool, devices = [], perDeviceNodeSelection } = spec;
  const shared = perDeviceNodeSelection ? undefined : nodesOf(spec, node);
  if (!perDeviceNodeSelection && shared === undefined) return [];
  return devices.flatMap((device) => {
    const found = perDeviceNodeSelection ? nodesOf(device, node) : shared;
    if (found === undefined) return [];
    return [
      { driver, pool: pool.name, device, id: deviceId(driver, pool.name, device.name), nodes: found.nodes },
    ];
  });
}
