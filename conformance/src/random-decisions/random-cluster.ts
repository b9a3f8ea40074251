import type { ScenarioObject } from '../scheduler/scenario.ts';
import type { Place } from '../scheduler/cluster.ts';
import { apps, zoneLabel, zones } from './labels.ts';
import { extenderResources } from './profiles.ts';
import type { Random } from './random.ts';
import { randomDevices } from './random-devices.ts';
import { randomPod, taintOf } from './random-pod.ts';
import { ebsZoneLabel, randomStorage } from './random-storage.ts';

/** A cluster, and the Pods that are scheduled one after the other. */
export interface RandomScenario {
  objects: ScenarioObject[];
  /** Objects that are deleted, but have a grace period or finalizers. */
  ending: Place[];
  pods: ScenarioObject[];
}

/** The priority classes of all scenarios. */
export const priorityClasses: ScenarioObject[] = [
  { name: 'low', value: 10 },
  { name: 'mid', value: 500 },
  { name: 'high', value: 1000 },
  { name: 'patient', value: 1000, preemptionPolicy: 'Never' },
].map(({ name, ...rest }) => ({
  apiVersion: 'scheduling.k8s.io/v1',
  kind: 'PriorityClass',
  metadata: { name },
  ...rest,
}));

/** A namespace of all scenarios beside `default`. */
export const otherNamespace = {
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: 'other', labels: { team: 'a' } },
};

/** The runtime class of all scenarios. */
export const runtimeClass = {
  apiVersion: 'node.k8s.io/v1',
  kind: 'RuntimeClass',
  metadata: { name: 'heavy' },
  handler: 'heavy',
  overhead: { podFixed: { cpu: '250m', memory: '120Mi' } },
  scheduling: { tolerations: [{ key: 'spot', operator: 'Exists' }] },
} as ScenarioObject;

/** The probability that a scenario has volumes, and devices. */
export interface ScenarioChances {
  storage: number;
  devices: number;
}

/** Returns a random scenario. */
export function randomScenario(random: Random, chances: ScenarioChances): RandomScenario {
  const nodes = random.list(1, 8, (index) => randomNode(random, index));
  const names = nodes.map(({ metadata }) => metadata.name ?? '');
  const storage = random.chance(chances.storage) ? randomStorage(random, names) : [];
  const devices = random.chance(chances.devices) ? randomDevices(random, names) : [];
  const setting = {
    claims: namesOf(storage, 'PersistentVolumeClaim'),
    resourceClaims: namesOf(devices, 'ResourceClaim'),
  };
  const placed = placedPods(random, names, setting.claims);
  const inOther = { namespace: otherNamespace.metadata.name };
  const pods = random.list(3, 6, (index) => {
    // Claims are found in their own namespace only.
    const isOther = random.chance(0.1);
    const resourceClaims = isOther ? [] : setting.resourceClaims;
    const pod = randomPod(random, `pod-${index}`, { ...setting, resourceClaims, isScheduled: true });
    return isOther ? { ...pod, metadata: { ...pod.metadata, ...inOther } } : pod;
  });
  return {
    objects: [
      ...nodes,
      ...storage,
      ...devices,
      ...(random.chance(0.3) ? [service(random)] : []),
      ...(random.chance(0.3) ? [controller(random)] : []),
      ...random.list(0, random.chance(0.4) ? 2 : 0, (index) => budget(random, index)),
      ...placed,
    ],
    ending: [
      ...placed.filter(() => random.chance(0.06)),
      ...storage.filter(({ kind }) => kind === 'PersistentVolumeClaim' && random.chance(0.05)),
    ].map(({ kind, metadata: { namespace, name } }) => ({ kind, namespace, name })),
    pods,
  };
}

const namesOf = (objects: readonly ScenarioObject[], kind: string): string[] =>
  objects.filter((object) => object.kind === kind).map(({ metadata }) => metadata.name ?? '');

function placedPods(random: Random, nodes: readonly string[], claims: readonly string[]): ScenarioObject[] {
  // kube-scheduler orders victims that have not started by chance.
  const minutes = shuffled(
    random,
    Array.from({ length: 14 }, (_, index) => String(index + 10)),
  );
  return random.list(0, 14, (index) => {
    const isOther = random.chance(0.15);
    const pod = randomPod(random, `placed-${index}`, { claims, resourceClaims: [], isScheduled: false });
    const { metadata } = pod;
    return {
      ...pod,
      metadata: isOther ? { ...metadata, namespace: otherNamespace.metadata.name } : metadata,
      spec: { ...pod.spec, nodeName: random.pick(nodes) },
      status: { phase: 'Running', startTime: `2026-01-01T00:${minutes[index]}:00Z` },
    };
  });
}

function randomNode(random: Random, index: number): ScenarioObject {
  const name = `n${index}`;
  const allocatable = {
    cpu: random.pick(['2', '4', '8', '1500m']),
    memory: random.pick(['2Gi', '4Gi', '8Gi', '16Gi']),
    pods: String(random.pick([4, 8, 110])),
    ...random.maybe(0.3, () => ({ 'ephemeral-storage': random.pick(['1Gi', '10Gi']) })),
    ...random.maybe(0.15, () => ({ 'hugepages-2Mi': '8Mi' })),
    ...random.maybe(0.5, () => ({ [extenderResources[1]]: '2', [extenderResources[2]]: '2' })),
    ...random.maybe(0.3, () => ({ 'example.com/gpu': String(random.int(1, 4)) })),
  };
  const labels = {
    ...random.maybe(0.95, () => ({ 'kubernetes.io/hostname': name })),
    ...random.maybe(0.8, () => ({ [zoneLabel]: random.pick(zones) })),
    ...random.maybe(0.5, () => ({ [ebsZoneLabel]: random.pick(zones) })),
    ...random.maybe(0.5, () => ({ disk: random.pick(['ssd', 'hdd']) })),
    ...random.maybe(0.5, () => ({ tier: String(random.int(1, 5)) })),
  };
  const images = random.list(0, 3, () => ({
    names: [`registry.example/${random.pick(apps)}:1`],
    sizeBytes: random.int(1, 2000) * 1_000_000,
  }));
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels },
    spec: {
      ...random.maybe(0.05, () => ({ unschedulable: true })),
      ...random.maybe(0.2, () => ({ taints: distinct(random.list(1, 2, () => taintOf(random))) })),
    },
    status: { capacity: allocatable, allocatable, ...(images.length > 0 ? { images } : {}) },
  };
}

function shuffled<T>(random: Random, values: readonly T[]): T[] {
  const left = [...values];
  return values.flatMap(() => left.splice(random.int(0, left.length - 1), 1));
}

const distinct = <T extends { key: string; effect: string }>(taints: T[]): T[] => [
  ...new Map(taints.map((taint) => [`${taint.key} ${taint.effect}`, taint])).values(),
];

const service = (random: Random): ScenarioObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 's' },
  spec: { selector: { app: random.pick(apps) }, ports: [{ port: 80 }] },
});

/** A controller of default spreading. */
function controller(random: Random): ScenarioObject {
  const [kind, apiVersion] = random.pick([
    ['ReplicaSet', 'apps/v1'],
    ['StatefulSet', 'apps/v1'],
    ['ReplicationController', 'v1'],
  ] as const);
  const labels = { app: random.pick(apps) };
  const template = {
    metadata: { labels },
    spec: { containers: [{ name: 'c', image: 'registry.example/a:1' }] },
  };
  return {
    apiVersion,
    kind,
    metadata: { name: 'owner' },
    spec: {
      replicas: 0,
      selector: kind === 'ReplicationController' ? labels : { matchLabels: labels },
      template,
      ...(kind === 'StatefulSet' ? { serviceName: 's' } : {}),
    },
  };
}

const budget = (random: Random, index: number): ScenarioObject => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name: `b${index}` },
  spec: { minAvailable: 1, selector: random.pick([{}, { matchLabels: { app: random.pick(apps) } }]) },
  status: {
    disruptionsAllowed: random.int(0, 2),
    currentHealthy: 2,
    desiredHealthy: 1,
    expectedPods: 2,
    observedGeneration: 1,
  },
});
