import type { JsonObject } from '@annex/machinery';
import { describe, expect, it } from 'vitest';
import type { Node } from '../nodes/node.ts';
import { AdmittedPods } from './admitted-pods.ts';
import { podWith } from './life.fixture.ts';

const node: Node = {
  metadata: { name: 'n', labels: { disk: 'ssd' } },
  status: { allocatable: { cpu: '2', memory: '1Gi', pods: '3' } },
};

const container = (requests: JsonObject, more: JsonObject = {}) => ({
  name: 'c',
  image: 'i',
  resources: { requests },
  ...more,
});
const requesting = (requests: JsonObject) => ({ containers: [container(requests)] });
const onPort = (hostPort: number, more: JsonObject = {}) => ({
  containers: [container({}, { ports: [{ containerPort: 80, hostPort, ...more }] })],
});

interface Case {
  /** The specifications of the Pods on the node. */
  on?: JsonObject[];
  spec: JsonObject;
  rejection?: { reason: string; message: string };
}

const cases: Record<string, Case> = {
  'there is room': { on: [requesting({ cpu: '1500m' })], spec: requesting({ cpu: '500m', memory: '1Gi' }) },
  'CPU is short': {
    on: [requesting({ cpu: '1' })],
    spec: requesting({ cpu: '1001m' }),
    rejection: {
      reason: 'OutOfcpu',
      message: "Node didn't have enough resource: cpu, requested: 1001, used: 1000, capacity: 2000",
    },
  },
  'memory is short': {
    spec: requesting({ memory: '2Gi' }),
    rejection: {
      reason: 'OutOfmemory',
      message:
        "Node didn't have enough resource: memory, requested: 2147483648, used: 0, capacity: 1073741824",
    },
  },
  'the node has as many Pods as it can': {
    on: [{}, {}, {}],
    spec: {},
    rejection: {
      reason: 'OutOfpods',
      message: "Node didn't have enough resource: pods, requested: 1, used: 3, capacity: 3",
    },
  },
  'a resource is not reported by the node': { spec: requesting({ 'example.com/gpu': '1' }) },
  'the largest init container counts, with the sidecar before it': {
    spec: {
      initContainers: [
        container({ cpu: '500m' }, { name: 's', restartPolicy: 'Always' }),
        container({ cpu: '1600m' }, { name: 'i' }),
      ],
      ...requesting({ cpu: '1' }),
    },
    rejection: {
      reason: 'OutOfcpu',
      message: "Node didn't have enough resource: cpu, requested: 2100, used: 0, capacity: 2000",
    },
  },
  'the requests of the Pod itself replace those of containers, and overhead is added': {
    spec: {
      ...requesting({ cpu: '9' }),
      resources: { requests: { cpu: '1' } },
      overhead: { cpu: '1500m' },
    },
    rejection: {
      reason: 'OutOfcpu',
      message: "Node didn't have enough resource: cpu, requested: 2500, used: 0, capacity: 2000",
    },
  },
  'the node selector matches': { spec: { nodeSelector: { disk: 'ssd' } } },
  'the node selector does not match': {
    spec: { nodeSelector: { disk: 'hdd' } },
    rejection: {
      reason: 'NodeAffinity',
      message: "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
    },
  },
  'a port is taken on every address': {
    on: [onPort(80)],
    spec: onPort(80, { hostIP: '127.0.0.1' }),
    rejection: {
      reason: 'NodePorts',
      message: "Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports",
    },
  },
  'a port is taken on another address': {
    on: [onPort(80, { hostIP: '127.0.0.2' })],
    spec: onPort(80, { hostIP: '127.0.0.1' }),
  },
  'a port is taken with another protocol': { on: [onPort(80, { protocol: 'UDP' })], spec: onPort(80) },
};

const named = (uid: string, spec: JsonObject = {}) => podWith(spec, { name: uid, uid });

describe('a node', () => {
  for (const [name, { on = [], spec, rejection }] of Object.entries(cases))
    it(`${rejection === undefined ? 'admits' : 'rejects'} a Pod: ${name}`, () => {
      const pods = new AdmittedPods();
      for (const [index, other] of on.entries())
        pods.count(`ns/${index}`, named(`${index}`, { nodeName: 'n', ...other }));
      expect(pods.admit('ns/new', named('new', { nodeName: 'n', ...spec }), node)).toEqual(rejection);
    });

  it('has the room of Pods that ended, and counts each Pod once', () => {
    const pods = new AdmittedPods();
    const large = requesting({ cpu: '2' });
    expect(pods.admit('ns/a', named('a', large), node)).toBeUndefined();
    expect(pods.admit('ns/a', named('a', large), node)).toBeUndefined();
    expect(pods.admit('ns/b', named('b', large), node)).toMatchObject({ reason: 'OutOfcpu' });
    pods.release('ns/a');
    expect(pods.admit('ns/b', named('b', large), node)).toBeUndefined();
  });

  it('counts the Pods of other nodes for themselves', () => {
    const pods = new AdmittedPods();
    pods.count('ns/a', named('a', { nodeName: 'other', ...requesting({ cpu: '2' }) }));
    expect(pods.admit('ns/b', named('b', requesting({ cpu: '2' })), node)).toBeUndefined();
  });

  it('replaces a Pod by another one with its name', () => {
    const pods = new AdmittedPods();
    pods.count('ns/a', named('a', requesting({ cpu: '2' })));
    expect(pods.admit('ns/a', named('later'), node)).toBeUndefined();
    expect(pods.admit('ns/b', named('b', requesting({ cpu: '2' })), node)).toBeUndefined();
  });
});
