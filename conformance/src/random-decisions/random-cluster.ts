import type { ScenarioObject } from '../scheduler/scenario.ts';
import type { Random } from './random.ts';
import { apps, randomPod, taintOf } from './random-pod.ts';

/** A cluster, and the Pods that are scheduled one after the other. */
export interface RandomScenario {
  objects: ScenarioObject[];
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

const zones = ['z1', 'z2', 'z3'];

/** Returns a random scenario. */
export function randomScenario(random: Random): RandomScenario {
  const nodes = random.list(1, 8, (index) => randomNode(random, index));
  const names = nodes.map(({ metadata }) => metadata.name ?? '');
  const storage = random.chance(0.25) ? randomStorage(random, names) : [];
  const claims = storage.filter(({ kind }) => kind === 'PersistentVolumeClaim');
  const setting = { claims: claims.map(({ metadata }) => metadata.name ?? '') };
  // kube-scheduler orders victims that have not started by chance.
  const minutes = shuffled(
    random,
    Array.from({ length: 14 }, (_, index) => String(index + 10)),
  );
  const placed = random.list(0, 14, (index) => {
    const pod = randomPod(random, `placed-${index}`, { claims: [] });
    const { metadata } = pod;
    const namespace = random.maybe(0.15, () => ({ namespace: otherNamespace.metadata.name }));
    return {
      ...pod,
      metadata: { ...metadata, ...namespace },
      spec: { ...pod.spec, nodeName: random.pick(names) },
      status: { phase: 'Running', startTime: `2026-01-01T00:${minutes[index]}:00Z` },
    };
  });
  return {
    objects: [
      ...nodes,
      ...storage,
      ...(random.chance(0.3) ? [service(random)] : []),
      ...(random.chance(0.3) ? [budget(random)] : []),
      ...placed,
    ],
    pods: random.list(3, 6, (index) => randomPod(random, `pod-${index}`, setting)),
  };
}

function randomNode(random: Random, index: number): ScenarioObject {
  const name = `n${index}`;
  const allocatable = {
    cpu: random.pick(['2', '4', '8', '1500m']),
    memory: random.pick(['2Gi', '4Gi', '8Gi', '16Gi']),
    pods: String(random.pick([4, 8, 110])),
    ...random.maybe(0.3, () => ({ 'ephemeral-storage': random.pick(['1Gi', '10Gi']) })),
    ...random.maybe(0.3, () => ({ 'example.com/gpu': String(random.int(1, 4)) })),
  };
  const labels = {
    ...random.maybe(0.95, () => ({ 'kubernetes.io/hostname': name })),
    ...random.maybe(0.8, () => ({ 'topology.kubernetes.io/zone': random.pick(zones) })),
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

const budget = (random: Random): ScenarioObject => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name: 'b' },
  spec: { minAvailable: 1, selector: { matchLabels: { app: random.pick(apps) } } },
  status: {
    disruptionsAllowed: random.int(0, 2),
    currentHealthy: 2,
    desiredHealthy: 1,
    expectedPods: 2,
    observedGeneration: 1,
  },
});

/** Claims: bound ones on volumes of a zone or a node, unbound immediate ones, and ones that wait for their Pod. */
function randomStorage(random: Random, nodes: readonly string[]): ScenarioObject[] {
  const classOf = (name: string, volumeBindingMode: string): ScenarioObject => ({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name },
    provisioner: 'kubernetes.io/no-provisioner',
    volumeBindingMode,
  });
  const volume = (index: number, bound: boolean): ScenarioObject => ({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: {
      name: `v${index}`,
      ...random.maybe(0.4, () => ({ labels: { 'topology.kubernetes.io/zone': random.pick(zones) } })),
    },
    spec: {
      capacity: { storage: `${random.int(1, 3)}Gi` },
      accessModes: ['ReadWriteOnce'],
      storageClassName: bound ? 'now' : 'later',
      hostPath: { path: '/v' },
      ...random.maybe(0.6, () => ({ nodeAffinity: { required: termOf(random, nodes) } })),
      ...(bound
        ? { claimRef: { kind: 'PersistentVolumeClaim', namespace: 'default', name: `c${index}` } }
        : {}),
    },
    ...(bound ? { status: { phase: 'Bound' } } : { status: { phase: 'Available' } }),
  });
  const claim = (index: number, bound: boolean): ScenarioObject => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name: `c${index}`,
      ...(bound ? { annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } } : {}),
    },
    spec: {
      accessModes: ['ReadWriteOnce'],
      storageClassName: bound ? 'now' : random.pick(['now', 'later', 'later']),
      resources: { requests: { storage: `${random.int(1, 3)}Gi` } },
      ...(bound ? { volumeName: `v${index}` } : {}),
    },
    status: { phase: bound ? 'Bound' : 'Pending' },
  });
  return [
    classOf('now', 'Immediate'),
    classOf('later', 'WaitForFirstConsumer'),
    ...random
      .list(1, 4, (index) => index)
      .flatMap((index) => {
        const bound = random.chance(0.6);
        return [volume(index, bound), claim(index, bound)];
      }),
  ];
}

const termOf = (random: Random, nodes: readonly string[]) => ({
  nodeSelectorTerms: [
    {
      matchExpressions: [
        random.chance(0.5)
          ? { key: 'topology.kubernetes.io/zone', operator: 'In', values: [random.pick(zones)] }
          : { key: 'kubernetes.io/hostname', operator: 'In', values: [random.pick(nodes)] },
      ],
    },
  ],
});
