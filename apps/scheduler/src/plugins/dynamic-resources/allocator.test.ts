import { expect, it } from 'vitest';
import { ObjectStore } from '../../cache/object-store.ts';
import { defaultFeatureGates } from '../../config/feature-gates.ts';
import type {
  Allocation,
  ClaimDevices,
  Device,
  DeviceClass,
  DeviceRequestBody,
  DeviceResult,
  ResourceClaim,
  ResourceSlice,
} from '../../objects/devices.ts';
import { NodeInfo } from '../../objects/node-info.ts';
import { AllocatedState } from './allocated-state.ts';
import { Allocator, InvalidPools } from './allocator.ts';
import { SliceIndex } from './device-pools.ts';

const driver = 'gpu.example.com';
const node = new NodeInfo('n1');
node.setNode({ metadata: { name: 'n1', labels: { zone: 'a' } } });

const classes = new ObjectStore<DeviceClass>();
classes.set({ metadata: { name: 'gpu' }, spec: { config: [{ opaque: { driver, parameters: {} } }] } });

const slice = (name: string, devices: readonly Device[], spec: Partial<ResourceSlice['spec']> = {}) => ({
  metadata: { name },
  spec: {
    driver,
    ...(spec.sharedCounters || spec.nodeSelector || spec.allNodes ? {} : { nodeName: 'n1' }),
    pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
    devices,
    ...spec,
  },
});
const claim = (devices: ClaimDevices): ResourceClaim => ({
  metadata: { namespace: 'default', name: 'c' },
  spec: { devices },
});
const wants = (...bodies: Partial<DeviceRequestBody>[]): ClaimDevices => ({
  requests: bodies.map((body, i) => ({ name: `r${i}`, exactly: { deviceClassName: 'gpu', ...body } })),
});
const partition = (name: string, memory: string, parts: Partial<Device> = {}): Device => ({
  name,
  consumesCounters: [{ counterSet: 's', counters: { memory: { value: memory } } }],
  ...parts,
});
const counters = (slices: number) => ({
  pool: { name: 'p', generation: 1, resourceSliceCount: slices },
  allNodes: true,
  sharedCounters: [{ name: 's', counters: { memory: { value: '4Gi' } } }],
});
const two = { pool: { name: 'p', generation: 1, resourceSliceCount: 2 } };

interface Case {
  slices: readonly ResourceSlice[];
  devices: ClaimDevices;
  taken?: readonly Partial<DeviceResult>[];
  without?: string;
}

function allocate({ slices, devices, taken = [], without = '' }: Case): Allocation | undefined {
  const store = new ObjectStore<ResourceSlice>();
  for (const one of slices) store.set(one);
  const allocated = new AllocatedState();
  const results = taken.map((one) => ({ request: 'r', driver, pool: 'p', device: 'a', ...one }));
  allocated.add({ devices: { results } });
  const features = new Set([...defaultFeatureGates].filter((name) => name !== without));
  const pools = new SliceIndex(store, features.has('DRAPartitionableDevices')).poolsOf(node);
  return new Allocator({ allocated, classes, features }, node, pools).allocate([claim(devices)])?.[0];
}

const chosen = (parts: Case): string[] | undefined =>
  allocate(parts)?.devices?.results?.map(({ device }) => device);

const capacity = (value: string, requestPolicy?: object) => ({
  allowMultipleAllocations: true,
  capacity: { memory: { value, ...(requestPolicy && { requestPolicy }) } },
});
const memory = (amount: string) => ({ capacity: { requests: { memory: amount } } });
const share = (amount: string) => ({ shareID: 'x', consumedCapacity: { memory: amount } });

it.each<[string, string[] | undefined, Case]>([
  [
    'pools and slices are served by name',
    ['c', 'a', 'b'],
    {
      slices: [
        slice('z', [{ name: 'b' }], two),
        slice('y', [{ name: 'a' }], two),
        slice('x', [{ name: 'c' }], { pool: { name: 'n', generation: 1, resourceSliceCount: 1 } }),
      ],
      devices: wants({ count: 3 }),
    },
  ],
  [
    'pools with binding conditions come last',
    ['b'],
    {
      slices: [
        slice('x', [{ name: 'a', bindingConditions: ['ready'] }]),
        slice('y', [{ name: 'b' }], { pool: { name: 'q', generation: 1, resourceSliceCount: 1 } }),
      ],
      devices: wants({}),
    },
  ],
  [
    'partitions are given while their counters suffice',
    ['half-1', 'half-2'],
    {
      slices: [
        slice('k', [], counters(2)),
        slice('d', [partition('half-1', '2Gi'), partition('half-2', '2Gi'), partition('third', '1Gi')], two),
      ],
      devices: wants({ count: 2 }),
    },
  ],
  [
    'a device whose partitions are in use is not given',
    undefined,
    {
      slices: [
        slice('k', [], counters(2)),
        slice('d', [partition('a', '2Gi'), partition('whole', '4Gi')], two),
      ],
      devices: wants({}),
      taken: [{ device: 'a' }],
    },
  ],
  [
    'without DRAPartitionableDevices, counters and slices with counters do not exist',
    ['plain'],
    {
      slices: [slice('d', [partition('a', '1Gi'), { name: 'plain' }])],
      devices: wants({}),
      without: 'DRAPartitionableDevices',
    },
  ],
  [
    'a shared device serves several requests',
    ['a', 'a'],
    {
      slices: [slice('d', [{ name: 'a', ...capacity('10Gi') }])],
      devices: wants(memory('4Gi'), memory('6Gi')),
    },
  ],
  [
    'until its capacity is used up',
    undefined,
    {
      slices: [slice('d', [{ name: 'a', ...capacity('10Gi') }])],
      devices: wants(memory('4Gi')),
      taken: [share('7Gi')],
    },
  ],
  [
    'a request without an amount takes all of a capacity without a default',
    undefined,
    { slices: [slice('d', [{ name: 'a', ...capacity('10Gi') }])], devices: wants({}), taken: [share('1')] },
  ],
  [
    'a device without the requested capacity is not given',
    ['b'],
    {
      slices: [slice('d', [{ name: 'a' }, { name: 'b', capacity: { memory: { value: '2Gi' } } }])],
      devices: wants(memory('1Gi')),
    },
  ],
  [
    'admin access shares devices that are in use',
    ['a'],
    { slices: [slice('d', [{ name: 'a' }])], devices: wants({ adminAccess: true }), taken: [{}] },
  ],
  [
    'but not those of the same claim, and not tainted ones',
    ['a', 'c'],
    {
      slices: [
        slice('d', [
          { name: 'a' },
          { name: 'b', taints: [{ key: 'k', effect: 'NoExecute' }] },
          { name: 'c' },
        ]),
      ],
      devices: wants({ adminAccess: true }, { adminAccess: true }),
    },
  ],
  [
    'devices have different values of an attribute',
    ['a', 'c'],
    {
      slices: [
        slice('d', [
          { name: 'a', attributes: { id: { int: 1 } } },
          { name: 'b', attributes: { id: { int: 1 } } },
          { name: 'c', attributes: { id: { string: '1' } } },
        ]),
      ],
      devices: { ...wants({}, {}), constraints: [{ distinctAttribute: `${driver}/id` }] },
    },
  ],
])('%s', (_name, devices, parts) => {
  expect(chosen(parts)).toEqual(devices);
});

const policies = {
  range: { default: '1Gi', validRange: { min: '1Gi', step: '1Gi', max: '8Gi' } },
  values: { default: '2Gi', validValues: ['2Gi', '4Gi'] },
};
it.each<[string, keyof typeof policies, string | undefined, string | undefined]>([
  ['amounts are rounded up to the next step', 'range', '2500Mi', '3Gi'],
  ['less than the smallest amount is the smallest', 'range', '1', '1Gi'],
  ['more than the largest amount is refused', 'range', '9Gi', undefined],
  ['amounts are rounded up to the next valid value', 'values', '3Gi', '4Gi'],
  ['more than all valid values is refused', 'values', '5Gi', undefined],
  ['no amount is the default', 'values', undefined, '2Gi'],
])('%s (%s: %s)', (_name, policy, requested, consumed) => {
  const found = allocate({
    slices: [slice('d', [{ name: 'a', ...capacity('10Gi', policies[policy]) }])],
    devices: wants(requested === undefined ? {} : memory(requested)),
  });
  expect(found?.devices?.results?.[0]?.consumedCapacity?.memory).toBe(consumed);
});

it('an allocation has the configurations of a class once, and those of the claim for each request that they name', () => {
  const devices = { ...wants({}, {}), config: [{ requests: ['r0', 'r1'], a: 1 }, { b: 2 }] };
  const found = allocate({ slices: [slice('d', [{ name: 'a' }, { name: 'b' }])], devices });
  expect(found?.devices?.config).toEqual([
    { source: 'FromClass', requests: ['r0', 'r1'], opaque: { driver, parameters: {} } },
    { source: 'FromClaim', requests: ['r0', 'r1'], a: 1 },
    { source: 'FromClaim', requests: ['r0', 'r1'], a: 1 },
    { source: 'FromClaim', b: 2 },
  ]);
});

it.each<[string, ResourceSlice[], string | undefined]>([
  ['a device of one node', [slice('d', [{ name: 'a' }])], 'metadata.name In n1'],
  ['a device of all nodes', [slice('d', [{ name: 'a' }], { allNodes: true })], undefined],
  [
    'a device of selected nodes',
    [
      slice('d', [{ name: 'a' }], {
        nodeSelector: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] }],
        },
      }),
    ],
    'zone In a',
  ],
  [
    'a device that binds to its node',
    [slice('d', [{ name: 'a', bindsToNode: true }], { allNodes: true })],
    'metadata.name In n1',
  ],
])('the nodes of an allocation: %s', (_name, slices, nodes) => {
  const [term] = allocate({ slices, devices: wants({}) })?.nodeSelector?.nodeSelectorTerms ?? [];
  const [one] = [...(term?.matchFields ?? []), ...(term?.matchExpressions ?? [])];
  expect(one && `${one.key} ${one.operator} ${one.values?.join()}`).toBe(nodes);
});

const many = Array.from({ length: 40 }, (_, i) => ({ name: `d${i}` }));
it.each<[string, Case, string]>([
  [
    'more than maxDevicesOfClaim devices',
    { slices: [slice('d', many)], devices: wants({ count: 20 }, { count: 20 }) },
    'claim default/c: number of requested devices 40 exceeds the claim limit of 32',
  ],
  [
    'a capacity without DRAConsumableCapacity',
    { slices: [], devices: wants(memory('1Gi')), without: 'DRAConsumableCapacity' },
    'claim default/c, request r0: has capacity requests, but the DRAConsumableCapacity feature is disabled',
  ],
  [
    'alternatives without DRAPrioritizedList',
    {
      slices: [],
      devices: { requests: [{ name: 'r', firstAvailable: [{ name: 'x', deviceClassName: 'gpu' }] }] },
      without: 'DRAPrioritizedList',
    },
    'claim default/c, request r: has subrequests, but the DRAPrioritizedList feature is disabled',
  ],
  [
    'all devices of an invalid pool',
    {
      slices: [slice('d', [partition('a', '1Gi')])],
      devices: wants({ allocationMode: 'All' }),
    },
    'claim default/c, request r0: asks for all devices, but resource pool gpu.example.com/p is currently invalid',
  ],
  [
    'a search of more than maxAllocationSteps',
    { slices: [slice('d', many)], devices: { ...wants({ count: 10 }), constraints: [], ...never() } },
    'timed out trying to allocate devices',
  ],
])('is an error: %s', (_name, parts, message) => {
  expect(() => allocate(parts)).toThrow(message);
});

/** Ten devices, and then one that does not exist. */
function never(): ClaimDevices {
  const selectors = [{ cel: { expression: 'false' } }];
  return wants({ count: 10 }, { selectors });
}

it.each([
  ['a counter that does not exist', [slice('d', [partition('a', '1Gi')])]],
  ['two devices of one name', [slice('d', [{ name: 'a' }], two), slice('e', [{ name: 'a' }], two)]],
])('a pool is invalid: %s', (_name, slices) => {
  expect(() => allocate({ slices, devices: wants({}) })).toThrow(InvalidPools);
});
