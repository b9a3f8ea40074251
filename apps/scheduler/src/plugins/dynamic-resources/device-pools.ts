import type { ObjectStore } from '../../cache/object-store.ts';
import type { Counters, Device, ResourceSlice } from '../../objects/devices.ts';
import type { NodeInfo } from '../../objects/node-info.ts';
import { compileNodeSelector } from '../../objects/node-selector.ts';
import type { NodeSelector } from '../../objects/pod.ts';

/** A device that a node may be able to use. */
export interface NodeDevice {
  readonly driver: string;
  readonly device: Device;
  /** `driver/pool/device`. */
  readonly id: string;
  readonly pool: DevicePool;
  readonly slice: ResourceSlice;
}

/** A pool with the devices that a node can use. */
export interface DevicePool {
  /** `driver/pool`. */
  readonly id: string;
  readonly name: string;
  /** True if slices of it are missing: it is being updated. */
  readonly isIncomplete: boolean;
  /** True if slices of it contradict each other. */
  readonly isInvalid: boolean;
  /** By slice in the order of names, then as in the slice. Also contains devices whose own node is another one. */
  readonly devices: readonly NodeDevice[];
  /** All slices of the newest generation. */
  readonly slices: readonly ResourceSlice[];
  /** The shared counters of the pool, by the name of their set. */
  readonly counterSets: ReadonlyMap<string, Counters>;
}

interface Placement {
  nodeName?: string;
  nodeSelector?: NodeSelector;
  allNodes?: boolean;
}

export const deviceId = (driver: string, pool: string, device: string): string =>
  `${driver}/${pool}/${device}`;

/** Returns whether a slice or a device is for a node. */
export function isForNode({ nodeName, nodeSelector, allNodes }: Placement, node: NodeInfo): boolean {
  if (nodeName) return nodeName === node.name;
  if (allNodes) return true;
  return nodeSelector !== undefined && compileNodeSelector(nodeSelector)(node);
}

const hasCounters = ({ spec }: ResourceSlice): boolean => (spec.sharedCounters ?? []).length > 0;
const poolId = ({ spec }: ResourceSlice): string => `${spec.driver}/${spec.pool.name}`;
const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** The slices of the cluster, for the search of one Pod. */
export class SliceIndex {
  readonly #ofNode = new Map<string, ResourceSlice[]>();
  readonly #shared: ResourceSlice[] = [];
  readonly #ofPool = new Map<string, ResourceSlice[]>();
  readonly #partitions: boolean;

  /** `partitions` turns shared counters and devices with nodes of their own on. */
  constructor(slices: ObjectStore<ResourceSlice>, partitions = true) {
    this.#partitions = partitions;
    for (const slice of slices.values()) {
      append(this.#ofPool, poolId(slice), slice);
      if (!partitions && (hasCounters(slice) || slice.spec.perDeviceNodeSelection !== undefined)) continue;
      const { nodeName } = slice.spec;
      if (nodeName && !hasCounters(slice)) append(this.#ofNode, nodeName, slice);
      else this.#shared.push(slice);
    }
  }

  /** Returns the pools with devices for a node: by driver and name, those with binding conditions last. */
  poolsOf(node: NodeInfo): DevicePool[] {
    const found = new Map<string, ResourceSlice[]>();
    for (const slice of [...(this.#ofNode.get(node.name) ?? []), ...this.#shared])
      if (isRelevant(slice, node)) addToNewest(found, slice);
    const pools: DevicePool[] = [];
    for (const [id, slices] of found) {
      const pool = this.#poolOf(id, slices);
      if (pool !== undefined) pools.push(pool);
    }
    return pools.toSorted(
      (a, b) => Number(hasBindingConditions(a)) - Number(hasBindingConditions(b)) || byText(a.id, b.id),
    );
  }

  #poolOf(id: string, slices: readonly ResourceSlice[]): DevicePool | undefined {
    const { generation, resourceSliceCount } = slices[0]?.spec.pool ?? {};
    const all = this.#ofPool.get(id) ?? [];
    // The newest generation has no devices for the node.
    if (all.some(({ spec }) => spec.pool.generation > (generation ?? 0))) return undefined;
    const current = all.filter(({ spec }) => spec.pool.generation === generation);
    const isComplete = current.length === resourceSliceCount;
    return poolOf(id, slices, current, { isComplete, partitions: this.#partitions });
  }
}

function append<T>(map: Map<string, T[]>, key: string, value: T): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [value]);
  else known.push(value);
}

function isRelevant(slice: ResourceSlice, node: NodeInfo): boolean {
  // Counters are needed on all nodes of their pool.
  if (hasCounters(slice)) return true;
  const { perDeviceNodeSelection, devices = [] } = slice.spec;
  return perDeviceNodeSelection
    ? devices.some((device) => isForNode(device, node))
    : isForNode(slice.spec, node);
}

function addToNewest(pools: Map<string, ResourceSlice[]>, slice: ResourceSlice): void {
  const id = poolId(slice);
  const known = pools.get(id) ?? [];
  const { generation } = slice.spec.pool;
  const newest = known[0]?.spec.pool.generation ?? -1;
  if (generation > newest) pools.set(id, [slice]);
  else if (generation === newest) known.push(slice);
}

function poolOf(
  id: string,
  slices: readonly ResourceSlice[],
  all: readonly ResourceSlice[],
  { isComplete, partitions }: { isComplete: boolean; partitions: boolean },
): DevicePool {
  const name = slices[0]?.spec.pool.name ?? '';
  const base = { id, name, devices: [], slices: all, counterSets: new Map<string, Counters>() };
  if (!isComplete) return { ...base, isIncomplete: true, isInvalid: false };
  const ordered = slices.toSorted((a, b) => byText(a.metadata.name ?? '', b.metadata.name ?? ''));
  const counterSets = counterSetsOf(ordered);
  const names = ordered.flatMap(({ spec }) => (spec.devices ?? []).map((device) => device.name));
  if (
    counterSets === undefined ||
    new Set(names).size < names.length ||
    (partitions && !all.every((slice) => consumesKnownCounters(slice, counterSets)))
  )
    return { ...base, isIncomplete: false, isInvalid: true };
  const devices: NodeDevice[] = [];
  const pool = { ...base, isIncomplete: false, isInvalid: false, devices, counterSets };
  for (const slice of ordered)
    for (const device of slice.spec.devices ?? []) {
      const { driver } = slice.spec;
      devices.push({ driver, device, id: deviceId(driver, name, device.name), pool, slice });
    }
  return pool;
}

/** Returns the counters by the name of their set; `undefined` if two sets have the same name. */
function counterSetsOf(slices: readonly ResourceSlice[]): Map<string, Counters> | undefined {
  const sets = new Map<string, Counters>();
  for (const { spec } of slices)
    for (const { name, counters } of spec.sharedCounters ?? []) {
      if (sets.has(name)) return undefined;
      sets.set(name, counters);
    }
  return sets;
}

const consumesKnownCounters = (
  { spec }: ResourceSlice,
  counterSets: ReadonlyMap<string, Counters>,
): boolean =>
  (spec.devices ?? []).every(({ consumesCounters = [] }) =>
    consumesCounters.every(({ counterSet, counters }) => {
      const known = counterSets.get(counterSet);
      return known !== undefined && Object.keys(counters).every((name) => Object.hasOwn(known, name));
    }),
  );

const hasBindingConditions = ({ devices }: DevicePool): boolean =>
  devices.some(({ device }) => device.bindingConditions !== undefined);
