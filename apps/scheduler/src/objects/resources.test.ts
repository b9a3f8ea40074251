import { expect, it } from 'vitest';
import type { Pod } from './pod.ts';
import { containerRequests, podRequests } from './resources.ts';

const mebibyte = 1024 * 1024;
const pod = (containers: object[], spec: object = {}): Pod =>
  ({ metadata: { name: 'p' }, spec: { containers, ...spec } }) as unknown as Pod;
const container = (requests: object) => ({ name: 'c', resources: { requests } });

it.each<[string, Pod, pod: [number, number], containers: [number, number]]>([
  ['assumes amounts for containers without requests', pod([container({})]), [100, 200], [100, 200]],
  [
    'adds the overhead',
    pod([container({ cpu: '1' })], { overhead: { cpu: '10m' } }),
    [1010, 200],
    [1010, 200],
  ],
  [
    'prefers the requests of the Pod itself, which its containers do not have',
    pod([container({ cpu: '1', memory: '50Mi' }), container({})], {
      resources: { requests: { cpu: '2', memory: '1Gi' } },
    }),
    [2000, 1024],
    [1100, 250],
  ],
])('%s', (_name, one, [cpu, memory], [ofContainers, memoryOfContainers]) => {
  expect(podRequests(one)).toMatchObject({ assumedCpu: cpu, assumedMemory: memory * mebibyte });
  expect(Object.fromEntries(containerRequests(one))).toEqual({
    cpu: ofContainers,
    memory: memoryOfContainers * mebibyte,
  });
});
