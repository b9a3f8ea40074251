import type { ScenarioObject } from '../scheduler/scenario.ts';
import type { Random } from './random.ts';

/** The applications of Pods: labels and images. */
export const apps = ['a', 'b', 'c'];

const topologies = ['kubernetes.io/hostname', 'topology.kubernetes.io/zone', 'disk'];

/** Returns a random taint. */
export const taintOf = (random: Random) => ({
  key: random.pick(['dedicated', 'spot']),
  value: random.pick(['x', 'y']),
  effect: random.pick(['NoSchedule', 'NoSchedule', 'PreferNoSchedule', 'NoExecute']),
});

/** Returns a random Pod that may use these claims. */
export function randomPod(
  random: Random,
  name: string,
  { claims }: { claims: readonly string[] },
): ScenarioObject {
  const affinity = {
    ...random.maybe(0.3, () => ({ nodeAffinity: nodeAffinity(random) })),
    ...random.maybe(0.2, () => ({ podAffinity: podAffinity(random) })),
    ...random.maybe(0.25, () => ({ podAntiAffinity: podAffinity(random) })),
  };
  const claim = claims.length > 0 && random.chance(0.7) ? random.pick(claims) : undefined;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      labels: { app: random.pick(apps), ...random.maybe(0.3, () => ({ v: random.pick(['1', '2']) })) },
    },
    spec: {
      containers: random.list(1, 2, (index) => container(random, `c${index}`)),
      ...random.maybe(0.15, () => ({ initContainers: [container(random, 'init', true)] })),
      ...random.maybe(0.5, () => ({
        priorityClassName: random.pick(['low', 'mid', 'high', 'high', 'patient']),
      })),
      ...random.maybe(0.15, () => ({ nodeSelector: { disk: random.pick(['ssd', 'hdd']) } })),
      ...random.maybe(0.35, () => ({ tolerations: random.list(1, 2, () => toleration(random)) })),
      ...(Object.keys(affinity).length > 0 ? { affinity } : {}),
      ...random.maybe(0.3, () => ({ topologySpreadConstraints: spreads(random) })),
      ...(claim === undefined
        ? {}
        : { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: claim } }] }),
    },
  };
}

function container(random: Random, name: string, isInit = false): object {
  const requests = {
    ...random.maybe(0.7, () => ({ cpu: random.pick(['100m', '250m', '500m', '1', '1500m']) })),
    ...random.maybe(0.7, () => ({ memory: random.pick(['64Mi', '256Mi', '512Mi', '1Gi', '2Gi']) })),
    ...random.maybe(0.1, () => ({ 'ephemeral-storage': random.pick(['512Mi', '2Gi']) })),
  };
  const gpus = random.maybe(0.1, () => ({ 'example.com/gpu': String(random.int(1, 2)) }));
  const resources = {
    requests: { ...requests, ...gpus },
    ...(Object.keys(gpus).length > 0 ? { limits: gpus } : {}),
  };
  const port = (name === 'c0' ? 8000 : 9000) + random.int(0, 2);
  return {
    name,
    image: `registry.example/${random.pick(apps)}:1`,
    resources,
    ...(isInit
      ? {}
      : random.maybe(0.12, () => ({
          ports: [
            {
              containerPort: port,
              hostPort: port,
              ...random.maybe(0.3, () => ({ hostIP: random.pick(['10.0.0.1', '10.0.0.2']) })),
              ...random.maybe(0.3, () => ({ protocol: 'UDP' })),
            },
          ],
        }))),
  };
}

function toleration(random: Random): object {
  const { key, value, effect } = taintOf(random);
  if (random.chance(0.1)) return { operator: 'Exists' };
  return {
    key,
    ...(random.chance(0.5) ? { operator: 'Exists' } : { operator: 'Equal', value }),
    ...random.maybe(0.6, () => ({ effect })),
  };
}

function nodeRequirement(random: Random): object {
  const requirements: (() => object)[] = [
    () => ({ key: 'disk', operator: random.pick(['In', 'NotIn']), values: [random.pick(['ssd', 'hdd'])] }),
    () => ({ key: random.pick(['disk', 'tier']), operator: random.pick(['Exists', 'DoesNotExist']) }),
    () => ({ key: 'tier', operator: random.pick(['Gt', 'Lt']), values: [String(random.int(1, 5))] }),
    () => ({
      key: 'topology.kubernetes.io/zone',
      operator: 'In',
      values: ['z1', random.pick(['z2', 'z3'])],
    }),
  ];
  return random.pick(requirements)();
}

const nodeTerm = (random: Random): object =>
  random.chance(0.12)
    ? { matchFields: [{ key: 'metadata.name', operator: 'In', values: [`n${random.int(0, 7)}`] }] }
    : { matchExpressions: random.list(1, 2, () => nodeRequirement(random)) };

const nodeAffinity = (random: Random): object => ({
  ...random.maybe(0.5, () => ({
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: random.list(1, 2, () => nodeTerm(random)),
    },
  })),
  ...random.maybe(0.6, () => ({
    preferredDuringSchedulingIgnoredDuringExecution: random.list(1, 3, () => ({
      weight: random.int(1, 100),
      preference: { matchExpressions: [nodeRequirement(random)] },
    })),
  })),
});

function labelSelector(random: Random): object {
  if (random.chance(0.1)) return {};
  if (random.chance(0.7)) return { matchLabels: { app: random.pick(apps) } };
  const operator = random.pick(['In', 'NotIn']);
  return { matchExpressions: [{ key: 'app', operator, values: [random.pick(apps), random.pick(apps)] }] };
}

const podTerm = (random: Random): object => ({
  labelSelector: labelSelector(random),
  topologyKey: random.pick(topologies),
  ...random.maybe(0.1, () => ({
    namespaceSelector: random.pick([{}, { matchLabels: { team: 'a' } }, { matchLabels: { team: 'b' } }]),
  })),
  ...random.maybe(0.1, () => ({ namespaces: random.pick([['default'], ['other'], ['default', 'other']]) })),
});

const podAffinity = (random: Random): object => ({
  ...random.maybe(0.5, () => ({
    requiredDuringSchedulingIgnoredDuringExecution: random.list(1, 2, () => podTerm(random)),
  })),
  ...random.maybe(0.6, () => ({
    preferredDuringSchedulingIgnoredDuringExecution: random.list(1, 2, () => ({
      weight: random.int(1, 100),
      podAffinityTerm: podTerm(random),
    })),
  })),
});

function spreads(random: Random): object[] {
  const constraints = random.list(1, 2, () => {
    const whenUnsatisfiable = random.pick(['DoNotSchedule', 'ScheduleAnyway']);
    return {
      maxSkew: random.int(1, 2),
      topologyKey: random.pick(topologies),
      whenUnsatisfiable,
      labelSelector: labelSelector(random),
      ...(whenUnsatisfiable === 'DoNotSchedule'
        ? random.maybe(0.2, () => ({ minDomains: random.int(1, 4) }))
        : {}),
      ...random.maybe(0.2, () => ({ nodeAffinityPolicy: random.pick(['Honor', 'Ignore']) })),
      ...random.maybe(0.2, () => ({ nodeTaintsPolicy: random.pick(['Honor', 'Ignore']) })),
      ...random.maybe(0.15, () => ({ matchLabelKeys: ['v'] })),
    };
  });
  const keyOf = (one: (typeof constraints)[number]) => `${one.topologyKey} ${one.whenUnsatisfiable}`;
  return [...new Map(constraints.map((one) => [keyOf(one), one])).values()];
}
