import { expect, it } from 'vitest';
import { aNode, aPod, decisions } from '../../cycle/decision.fixture.ts';
import type { ClaimDevices, Device, ResourceClaim } from '../../objects/devices.ts';

const driver = 'gpu.example.com';
const gpus = `device.driver == "${driver}"`;
const model = (name: string) => [
  { cel: { expression: `device.attributes["${driver}"].model == "${name}"` } },
];
const gpu = (name: string, of: string, parts: Partial<Device> = {}): Device => ({
  name,
  attributes: { model: { string: of } },
  ...parts,
});

const claim = (name: string, devices: ClaimDevices, status?: ResourceClaim['status']): ResourceClaim => ({
  metadata: { namespace: 'default', name, uid: `uid-${name}` },
  spec: { devices },
  ...(status === undefined ? {} : { status }),
});
const one = (parts: object = {}): ClaimDevices => ({
  requests: [{ name: 'r', exactly: { deviceClassName: 'gpu', ...parts } }],
});
const taken = (node: string, device: string) => ({
  allocation: { devices: { results: [{ request: 'r', driver, pool: node, device }] } },
});

async function withDevices(devices: Record<string, Device[]>, ...claims: ResourceClaim[]) {
  const setting = await decisions(Object.keys(devices).map((name) => aNode(name)));
  const { objects } = setting.cluster;
  objects.deviceClasses.set({
    metadata: { name: 'gpu' },
    spec: { selectors: [{ cel: { expression: gpus } }] },
  });
  for (const [nodeName, list] of Object.entries(devices))
    objects.resourceSlices.set({
      metadata: { name: nodeName },
      spec: {
        driver,
        nodeName,
        pool: { name: nodeName, generation: 1, resourceSliceCount: 1 },
        devices: list,
      },
    });
  for (const each of claims) objects.resourceClaims.set(each);
  return setting;
}
const user = (...names: string[]) =>
  aPod('p', { resourceClaims: names.map((name) => ({ name, resourceClaimName: name })) });

const refused = (nodes: number) => `0/${nodes} nodes are available: ${nodes} cannot allocate all claims.`;

/** Returns an expression that is evaluated ten times in each of several loops. */
const loops = (depth: number, expression: string): string =>
  depth === 0 ? expression : `[0,1,2,3,4,5,6,7,8,9].all(v${depth}, ${loops(depth - 1, expression)})`;

it.each<[string, Record<string, Device[]>, ResourceClaim[], string]>([
  ['a claim finds its device', { n1: [], n2: [gpu('a', 'x')] }, [claim('c', one())], 'n2'],
  [
    'so many devices as requested',
    { n1: [gpu('a', 'x')], n2: [gpu('a', 'x'), gpu('b', 'x')] },
    [claim('c', one({ count: 2 }))],
    'n2',
  ],
  [
    'selectors choose',
    { n1: [gpu('a', 'x')], n2: [gpu('a', 'y')] },
    [claim('c', one({ selectors: model('y') }))],
    'n2',
  ],
  [
    'no device is given twice',
    { n1: [gpu('a', 'x')] },
    [claim('c', one()), claim('other', one(), taken('n1', 'a'))],
    refused(1),
  ],
  [
    'all devices must be free',
    { n1: [gpu('a', 'x'), gpu('b', 'x')] },
    [claim('c', one({ allocationMode: 'All' })), claim('other', one(), taken('n1', 'b'))],
    refused(1),
  ],
  [
    'a tainted device is not given',
    { n1: [gpu('a', 'x', { taints: [{ key: 'k', effect: 'NoSchedule' }] })] },
    [claim('c', one())],
    refused(1),
  ],
  [
    'a tolerated taint does no harm',
    { n1: [gpu('a', 'x', { taints: [{ key: 'k', effect: 'NoSchedule' }] })] },
    [claim('c', one({ tolerations: [{ key: 'k', operator: 'Exists' }] }))],
    'n1',
  ],
  [
    'devices of one claim match in an attribute',
    { n1: [gpu('a', 'x'), gpu('b', 'y')], n2: [gpu('a', 'x'), gpu('b', 'y'), gpu('c', 'y')] },
    [claim('c', { ...one({ count: 2 }), constraints: [{ matchAttribute: `${driver}/model` }] })],
    'n2',
  ],
  [
    'an alternative is used when the first is not there',
    { n1: [gpu('a', 'small')] },
    [
      claim('c', {
        requests: [
          {
            name: 'r',
            firstAvailable: [
              { name: 'large', deviceClassName: 'gpu', selectors: model('large') },
              { name: 'small', deviceClassName: 'gpu', selectors: model('small') },
            ],
          },
        ],
      }),
    ],
    'n1',
  ],
  [
    'a domain that the device lacks is not in the map, and has no keys',
    { n1: [gpu('a', 'x')] },
    [
      claim(
        'c',
        one({
          selectors: [
            {
              cel: {
                expression:
                  '!("other.example.com" in device.attributes) && !has(device.attributes["other.example.com"].fast) && !device.allowMultipleAllocations',
              },
            },
          ],
        }),
      ),
    ],
    'n1',
  ],
  [
    'a class that does not exist is the message',
    { n1: [] },
    [claim('c', one({ deviceClassName: 'none' }))],
    '0/1 nodes are available: request r: device class none does not exist.',
  ],
])('%s', async (_name, devices, claims, decided) => {
  const setting = await withDevices(devices, ...claims);
  expect(await setting.decide(user('c'))).toBe(decided);
});

it.each<[string, Device[], ClaimDevices, string]>([
  [
    'a selector fails: its claim is named',
    [gpu('a', 'x')],
    one({ selectors: [...model('x'), { cel: { expression: `device.attributes["${driver}"].healthy` } }] }),
    'claim default/c: selector #1: CEL runtime error: no such key: healthy',
  ],
  [
    'a domain that the device lacks is an empty map',
    [gpu('a', 'x')],
    one({ selectors: [{ cel: { expression: 'device.attributes["other.example.com"].fast' } }] }),
    'claim default/c: selector #0: CEL runtime error: no such key: fast',
  ],
  [
    'a selector is text',
    [gpu('a', 'x')],
    one({ selectors: [{ cel: { expression: `device.attributes["${driver}"].model` } }] }),
    "claim default/c: selector #0: CEL runtime error: CEL result of type string could not be converted to bool: unsupported native conversion from string to 'bool'",
  ],
  [
    'a selector costs more than maxSelectorCost',
    [gpu('a', 'x'.repeat(60))],
    one({
      selectors: [
        {
          cel: {
            expression: loops(6, `device.attributes["${driver}"].model != ""`),
          },
        },
      ],
    }),
    'claim default/c: selector #0: CEL runtime error: operation cancelled: actual cost limit exceeded',
  ],
  [
    'a constraint excludes one of all devices',
    [gpu('a', 'x'), gpu('b', 'y')],
    { ...one({ allocationMode: 'All' }), constraints: [{ matchAttribute: `${driver}/model` }] },
    'claim default/c, request r: cannot add device gpu.example.com/n1/b because a claim constraint would not be satisfied',
  ],
])('an error ends the decision: %s', async (_name, devices, wanted, text) => {
  const setting = await withDevices({ n1: devices }, claim('c', wanted));
  await expect(setting.decide(user('c'))).rejects.toThrow(
    `running "DynamicResources" filter plugin: ${text}`,
  );
});

it('selectors are evaluated until there are enough devices', async () => {
  const failing = [{ cel: { expression: `device.attributes["${driver}"].healthy` } }];
  const healthy = { name: 'a', attributes: { healthy: { bool: true } } };
  const setting = await withDevices(
    { n1: [healthy, gpu('b', 'x')] },
    claim('c', one({ selectors: failing })),
  );
  expect(await setting.decide(user('c'))).toBe('n1');
});

it('two claims of a Pod share a node', async () => {
  const setting = await withDevices(
    { n1: [gpu('a', 'x')], n2: [gpu('a', 'x'), gpu('b', 'x')] },
    claim('c', one()),
    claim('d', one()),
  );
  expect(await setting.decide(user('c', 'd'))).toBe('n2');
});

it('an incomplete pool gives nothing', async () => {
  const setting = await withDevices({ n1: [] }, claim('c', one()));
  setting.cluster.objects.resourceSlices.set({
    metadata: { name: 'half' },
    spec: {
      driver,
      nodeName: 'n1',
      pool: { name: 'p', generation: 1, resourceSliceCount: 2 },
      devices: [gpu('a', 'x')],
    },
  });
  expect(await setting.decide(user('c'))).toBe(refused(1));
  setting.cluster.objects.resourceClaims.set(claim('all', one({ allocationMode: 'All' })));
  await expect(setting.decide(user('all'))).rejects.toThrow(
    'claim default/all, request r: asks for all devices, but resource pool gpu.example.com/p is currently being updated',
  );
});

it('devices provide an extended resource that the node does not have', async () => {
  const setting = await withDevices({ n1: [], n2: [gpu('a', 'x')] });
  setting.cluster.objects.deviceClasses.set({
    metadata: { name: 'gpu' },
    spec: { selectors: [{ cel: { expression: gpus } }], extendedResourceName: 'example.com/gpu' },
  });
  expect(await setting.decide(aPod('p', { requests: { 'example.com/gpu': '1' } }))).toBe('n2');
});

it('a Pod that needs devices does not fit without its other extended resources, even if the fit ignores them', async () => {
  const setting = await decisions(
    [aNode('n1')],
    '{"pluginConfig":[{"name":"NodeResourcesFit","args":{"ignoredResources":["example.com/other"]}}]}',
  );
  setting.cluster.objects.deviceClasses.set({
    metadata: { name: 'gpu' },
    spec: { extendedResourceName: 'example.com/gpu' },
  });
  const requests = { 'example.com/gpu': '1', 'example.com/other': '1' };
  expect(await setting.decide(aPod('p', { requests }))).toBe(
    '0/1 nodes are available: 1 cannot fit resource.',
  );
});
