/** A kind with objects of about one megabyte. */
export interface Shape {
  name: string;
  /** Collection in the namespace `large`. */
  path: string;
  /** Returns an object without its name. */
  build(): Body;
  /** Whether the kind is built in: it has strategic merge patches and protobuf. */
  isBuiltIn: boolean;
  /** A strategic merge patch of a large part; default: of an annotation. */
  strategic?(): Body;
  /** Changes a part of the object, as a merge patch of a large part. */
  change(body: Body): void;
}

// oxlint-disable-next-line typescript/no-explicit-any
export type Body = any;

const range = <T>(length: number, of: (i: number) => T): T[] => Array.from({ length }, (_, i) => of(i));
/** Returns an object of so many members. */
export const byKey = <T>(length: number, of: (i: number) => [string, T]): Record<string, T> =>
  Object.fromEntries(range(length, of));

/** Group of the custom resources. */
export const group = 'large.annex.example';
const core = '/api/v1/namespaces/large';
const custom = `/apis/${group}/v1/namespaces/large`;
const words = 'The quick brown fox jumps over the lazy dog. ';
/** Returns a text of that length. */
export const textOf = (length: number): string =>
  words.repeat(Math.ceil(length / words.length)).slice(0, length);

const podSpec = (containers: number, env: number) => ({
  containers: range(containers, (c) => ({
    name: `c${c}`,
    image: 'registry.example.com/some/image:v1.2.3',
    env: range(env, (i) => ({ name: `SOME_VARIABLE_${i}`, value: `value-${i}-${textOf(100)}` })),
    resources: { requests: { cpu: '100m', memory: '10Mi' }, limits: { memory: '100Mi' } },
  })),
});

const customOf =
  (kind: string, spec: () => object, version = 'v1') =>
  () => ({ apiVersion: `${group}/${version}`, kind, spec: spec() });

export const shapes: readonly Shape[] = [
  {
    name: 'ConfigMap, one text',
    path: `${core}/configmaps`,
    isBuiltIn: true,
    build: () => ({ apiVersion: 'v1', kind: 'ConfigMap', data: { text: `${textOf(1_000_000)}\n` } }),
    change: ({ data }) => void (data.text = data.text.replaceAll('fox', 'cat')),
  },
  {
    name: 'ConfigMap, 20,000 lines',
    path: `${core}/configmaps`,
    isBuiltIn: true,
    build: () => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      data: {
        text: range(20_000, (i) => `line: "${i}" ${words}`)
          .join('\n')
          .slice(0, 1_000_000),
      },
    }),
    change: ({ data }) => void (data.text = data.text.replaceAll('fox', 'cat')),
  },
  {
    name: 'ConfigMap, 10,000 keys',
    path: `${core}/configmaps`,
    isBuiltIn: true,
    build: () => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      data: byKey(10_000, (i) => [`key-${i}`, `${i} ${textOf(80)}`]),
    }),
    change: ({ data }) => {
      for (let i = 0; i < 10_000; i += 2) data[`key-${i}`] = `new ${i}`;
    },
  },
  {
    name: 'Secret, 100 texts',
    path: `${core}/secrets`,
    isBuiltIn: true,
    build: () => ({
      apiVersion: 'v1',
      kind: 'Secret',
      data: byKey(100, (i) => [`key-${i}`, Buffer.from(textOf(7500)).toString('base64')]),
    }),
    change: ({ data }) => {
      for (let i = 0; i < 100; i += 2) data[`key-${i}`] = 'bmV3';
    },
  },
  {
    name: 'Pod, 200 containers',
    path: `${core}/pods`,
    isBuiltIn: true,
    build: () => ({ apiVersion: 'v1', kind: 'Pod', spec: podSpec(200, 30) }),
    strategic: () => ({
      metadata: { labels: { a: 'b' } },
      spec: { containers: range(200, (c) => ({ name: `c${c}`, image: 'new' })) },
    }),
    change: ({ spec }) => {
      for (const container of spec.containers) container.image = 'registry.example.com/new';
    },
  },
  {
    name: 'Deployment, 4,500 variables',
    path: '/apis/apps/v1/namespaces/large/deployments',
    isBuiltIn: true,
    build: () => ({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      spec: {
        replicas: 0,
        selector: { matchLabels: { app: 'a' } },
        template: { metadata: { labels: { app: 'a' } }, spec: podSpec(1, 4500) },
      },
    }),
    strategic: () => ({
      spec: {
        template: {
          spec: {
            containers: [
              { name: 'c0', env: range(4500, (i) => ({ name: `SOME_VARIABLE_${i}`, value: `new-${i}` })) },
            ],
          },
        },
      },
    }),
    change: ({ spec }) => {
      for (const [i, variable] of spec.template.spec.containers[0].env.entries()) variable.value = `new ${i}`;
    },
  },
  {
    name: 'EndpointSlice, 1,000 endpoints',
    path: '/apis/discovery.k8s.io/v1/namespaces/large/endpointslices',
    isBuiltIn: true,
    build: () => ({
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      addressType: 'IPv4',
      ports: range(100, (i) => ({ name: `port-${i}`, port: 1000 + i, protocol: 'TCP' })),
      endpoints: range(1000, (i) => ({
        addresses: range(50, (j) => `10.${j}.${i >> 8}.${i & 255}`),
        conditions: { ready: true, serving: true, terminating: false },
        nodeName: `node-${i}`,
        targetRef: { kind: 'Pod', name: `pod-${i}`, namespace: 'large', uid: `uid-${i}` },
        zone: 'zone-a',
        hints: { forZones: [{ name: 'zone-a' }] },
      })),
    }),
    change: ({ endpoints }) => {
      for (const endpoint of endpoints) endpoint.conditions.ready = false;
    },
  },
  {
    name: 'custom, one text',
    path: `${custom}/texts`,
    isBuiltIn: false,
    build: customOf('Text', () => ({ text: textOf(1_000_000) })),
    change: ({ spec }) => void (spec.text = spec.text.replaceAll('fox', 'cat')),
  },
  {
    name: 'custom, list of 5,000',
    path: `${custom}/lists`,
    isBuiltIn: false,
    build: customOf('List5000', () => ({
      items: range(5000, (i) => ({ name: `item-${i}`, size: i, note: textOf(140), tags: ['a', 'b'] })),
    })),
    change: ({ spec }) => {
      for (const item of spec.items) item.size++;
    },
  },
  {
    name: 'custom, 3,000 with keys',
    path: `${custom}/keyed`,
    isBuiltIn: false,
    build: customOf('Keyed', () => ({
      items: range(3000, (i) => ({ name: `item-${i}`, size: i, note: textOf(120), tags: ['a', 'b'] })),
    })),
    change: ({ spec }) => {
      for (const item of spec.items) item.size++;
    },
  },
  {
    name: 'custom, 7,000 unspecified',
    path: `${custom}/free`,
    isBuiltIn: false,
    build: customOf('Free', () => byKey(7000, (i) => [`field${i}`, { a: i, b: textOf(110) }])),
    change: ({ spec }) => {
      for (let i = 0; i < 7000; i += 2) spec[`field${i}`].a++;
    },
  },
  {
    name: 'custom, two versions by webhook',
    path: `/apis/${group}/v2/namespaces/large/converted`,
    isBuiltIn: false,
    build: customOf(
      'Converted',
      () => ({
        items: range(5000, (i) => ({ name: `item-${i}`, size: i, note: textOf(140), tags: ['a', 'b'] })),
      }),
      'v2',
    ),
    change: ({ spec }) => {
      for (const item of spec.items) item.size++;
    },
  },
  {
    name: 'custom, admission webhooks',
    path: `${custom}/hooked`,
    isBuiltIn: false,
    build: customOf('Hooked', () => ({
      items: range(5000, (i) => ({ name: `item-${i}`, size: i, note: textOf(140), tags: ['a', 'b'] })),
    })),
    change: ({ spec }) => {
      for (const item of spec.items) item.size++;
    },
  },
  {
    name: 'custom, policies',
    path: `${custom}/ruled`,
    isBuiltIn: false,
    build: customOf('Ruled', () => ({
      items: range(5000, (i) => ({ name: `item-${i}`, size: i, note: textOf(140), tags: ['a', 'b'] })),
    })),
    change: ({ spec }) => {
      for (const item of spec.items) item.size++;
    },
  },
  {
    name: 'custom, audited',
    path: `/apis/${group}/v1/namespaces/audited/lists`,
    isBuiltIn: false,
    build: customOf('List5000', () => ({
      items: range(5000, (i) => ({ name: `item-${i}`, size: i, note: textOf(140), tags: ['a', 'b'] })),
    })),
    change: ({ spec }) => {
      for (const item of spec.items) item.size++;
    },
  },
];
