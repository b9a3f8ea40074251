import type { ScenarioObject } from '../scheduler/scenario.ts';
import { zoneLabel, zones } from './labels.ts';
import type { Random } from './random.ts';

const driver = 'gpu.example.com';

/** The extended resource that devices provide. */
export const deviceResource = 'example.com/device';

const ofDriver = { cel: { expression: `device.driver == "${driver}"` } };
const attribute = (name: string): string => `device.attributes["${driver}"].${name}`;

const classes = [
  { name: 'gpu', selectors: [ofDriver] },
  { name: 'large', selectors: [ofDriver, { cel: { expression: `${attribute('size')} >= 3` } }] },
  { name: 'extended', selectors: [ofDriver], extendedResourceName: deviceResource },
].map(({ name, ...spec }) => ({
  apiVersion: 'resource.k8s.io/v1',
  kind: 'DeviceClass',
  metadata: { name },
  spec,
}));

/** Returns classes, devices of nodes and of zones, and claims. */
export function randomDevices(random: Random, nodes: readonly string[]): ScenarioObject[] {
  const local = nodes.filter(() => random.chance(0.7)).map((name) => slice(random, { name, nodeName: name }));
  const shared = random.maybe(0.3, () =>
    slice(random, { name: 'shared', ...random.pick([{ allNodes: true }, { nodeSelector: inZone(random) }]) }),
  );
  const slices = [
    ...local,
    ...('kind' in shared ? [shared as ScenarioObject] : []),
    ...(random.chance(0.3) ? partitions(random, random.pick(nodes)) : []),
    ...(random.chance(0.2) ? [ofDeviceNodes(random, nodes)] : []),
  ];
  const claims = random.list(1, 4, (index) => claim(random, index, local));
  return [...classes, ...slices, ...claims];
}

const inZone = (random: Random): object => ({
  nodeSelectorTerms: [
    { matchExpressions: [{ key: zoneLabel, operator: 'In', values: [random.pick(zones)] }] },
  ],
});

/** Counters, and devices on a node that consume them. Some consume counters that do not exist. */
function partitions(random: Random, node: string): ScenarioObject[] {
  const pool = { name: 'partitioned', generation: 1, resourceSliceCount: 2 };
  const counters = { memory: { value: '40Gi' }, cores: { value: '4' } };
  const base = { apiVersion: 'resource.k8s.io/v1', kind: 'ResourceSlice' };
  const devices = random.list(1, 4, (index) => ({
    ...device(random, index),
    consumesCounters: [
      {
        counterSet: random.chance(0.95) ? 'set' : 'absent',
        counters: {
          memory: { value: `${random.pick([10, 20, 40])}Gi` },
          ...random.maybe(0.5, () => ({ cores: { value: '2' } })),
        },
      },
    ],
  }));
  return [
    {
      ...base,
      metadata: { name: 'counters' },
      spec: { driver, pool, allNodes: true, sharedCounters: [{ name: 'set', counters }] },
    },
    { ...base, metadata: { name: 'partitions' }, spec: { driver, pool, nodeName: node, devices } },
  ];
}

/** Devices that each have nodes of their own. */
const ofDeviceNodes = (random: Random, nodes: readonly string[]): ScenarioObject => ({
  apiVersion: 'resource.k8s.io/v1',
  kind: 'ResourceSlice',
  metadata: { name: 'moving' },
  spec: {
    driver,
    pool: { name: 'moving', generation: 1, resourceSliceCount: 1 },
    perDeviceNodeSelection: true,
    devices: random.list(1, 3, (index) => ({
      ...device(random, index),
      ...random.pick([
        { allNodes: true },
        { nodeName: random.pick(nodes) },
        { nodeSelector: inZone(random) },
      ]),
    })),
  },
});

interface DeviceList {
  devices: { name: string }[];
}

function slice(
  random: Random,
  { name, ...placement }: { name: string; [field: string]: unknown },
): ScenarioObject {
  return {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceSlice',
    metadata: { name },
    spec: {
      driver,
      pool: { name, generation: 1, resourceSliceCount: random.chance(0.05) ? 2 : 1 },
      ...placement,
      devices: random.list(1, 3, (index) => device(random, index)),
    },
  };
}

const policies = [
  { default: '5Gi' },
  { default: '4Gi', validRange: { min: '2Gi', step: '2Gi', max: '8Gi' } },
  { default: '5Gi', validValues: ['5Gi', '10Gi'] },
];

function device(random: Random, index: number) {
  const isShared = random.chance(0.25);
  return {
    name: `d${index}`,
    attributes: {
      model: { string: random.pick(['x', 'y']) },
      size: { int: random.int(1, 4) },
      ...random.maybe(0.5, () => ({ healthy: { bool: random.chance(0.7) } })),
      revision: { version: random.pick(['1.0.0', '1.2.3', '2.0.0']) },
      ...random.maybe(0.3, () => ({ 'other.example.com/fast': { bool: true } })),
    },
    capacity: {
      memory: {
        value: random.pick(['10Gi', '20Gi', '40Gi']),
        ...(isShared ? random.maybe(0.7, () => ({ requestPolicy: random.pick(policies) })) : {}),
      },
    },
    ...(isShared ? { allowMultipleAllocations: true } : {}),
    ...random.maybe(0.15, () => ({ taints: [taint(random)] })),
  };
}

const taint = (random: Random) => ({
  key: 'broken',
  value: random.pick(['x', 'y']),
  effect: random.pick(['NoSchedule', 'NoExecute']),
});

const selectors = [
  `${attribute('model')} == "x"`,
  `${attribute('size')} > 1`,
  `device.capacity["${driver}"].memory.compareTo(quantity("20Gi")) >= 0`,
  `${attribute('revision')}.isGreaterThan(semver("1.1.0"))`,
  `has(${attribute('healthy')}) && ${attribute('healthy')}`,
  `${attribute('healthy')}`,
  'has(device.attributes["other.example.com"].fast)',
  '!("other.example.com" in device.attributes)',
  'device.allowMultipleAllocations',
];

const body = (random: Random): object => ({
  deviceClassName: random.pick(['gpu', 'gpu', 'large', 'absent']),
  ...random.pick([{}, {}, { count: random.int(1, 3) }, { allocationMode: 'All' }]),
  ...random.maybe(0.4, () => ({ selectors: [{ cel: { expression: random.pick(selectors) } }] })),
  ...random.maybe(0.25, () => ({
    capacity: { requests: { [random.pick(['memory', 'memory', 'cores'])]: `${random.int(1, 12)}Gi` } },
  })),
  ...random.maybe(0.2, () => ({
    tolerations: [random.pick([{ operator: 'Exists' }, { key: 'broken', operator: 'Equal', value: 'x' }])],
  })),
});

function request(random: Random, index: number): object {
  const name = `r${index}`;
  if (random.chance(0.25))
    return {
      name,
      firstAvailable: random.list(1, 2, (at) => ({ name: `s${at}`, ...body(random) })),
    };
  return { name, exactly: { ...body(random), ...random.maybe(0.08, () => ({ adminAccess: true })) } };
}

/** A claim; some are allocated to others on a node. */
function claim(random: Random, index: number, slices: readonly ScenarioObject[]): ScenarioObject {
  const requests = random.list(1, 2, (at) => request(random, at));
  const slice = slices.length > 0 && random.chance(0.25) ? random.pick(slices) : undefined;
  return {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceClaim',
    metadata: { name: `claim-${index}` },
    spec: {
      devices: {
        requests: slice === undefined ? requests : [{ name: 'r0', exactly: { deviceClassName: 'gpu' } }],
        ...(slice === undefined ? random.maybe(0.35, () => ({ constraints: [constraint(random)] })) : {}),
      },
    },
    ...(slice === undefined ? {} : { status: allocated(random, slice) }),
  };
}

const constraint = (random: Random): object =>
  random.pick([{ matchAttribute: `${driver}/model` }, { distinctAttribute: `${driver}/size` }]);

function allocated(
  random: Random,
  { metadata: { name = '' }, spec }: ScenarioObject,
): Record<string, unknown> {
  const { devices } = spec as unknown as DeviceList;
  return {
    allocation: {
      devices: { results: [{ request: 'r0', driver, pool: name, device: random.pick(devices).name }] },
      nodeSelector: {
        nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [name] }] }],
      },
    },
    ...random.maybe(0.6, () => ({
      reservedFor: [{ resource: 'pods', name: 'another', uid: '00000000-0000-4000-8000-000000000001' }],
    })),
  };
}
