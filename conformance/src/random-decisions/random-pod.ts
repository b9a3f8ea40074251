import type { ScenarioObject } from '../scheduler/scenario.ts';
import { apps, zoneLabel } from './labels.ts';
import { extenderResources, schedulerNames } from './profiles.ts';
import type { Random } from './random.ts';
import { deviceResource } from './random-devices.ts';
import { container } from './random-resources.ts';
import { podVolumes } from './random-storage.ts';

const topologies = ['kubernetes.io/hostname', zoneLabel, 'disk'];

/** Returns a random taint. */
export const taintOf = (random: Random) => ({
  key: random.pick(['dedicated', 'spot']),
  value: random.pick(['x', 'y']),
  effect: random.pick(['NoSchedule', 'NoSchedule', 'PreferNoSchedule', 'NoExecute']),
});

/** What Pods of a scenario may use. */
export interface PodSetting {
  claims: readonly string[];
  resourceClaims: readonly string[];
  /** Pods that a scheduler decides about use any profile, and what extenders and devices provide. */
  isScheduled: boolean;
}

/** Returns a random Pod. */
export function randomPod(
  random: Random,
  name: string,
  { claims, resourceClaims, isScheduled }: PodSetting,
): ScenarioObject {
  const affinity = {
    ...random.maybe(0.3, () => ({ nodeAffinity: nodeAffinity(random) })),
    ...random.maybe(0.2, () => ({ podAffinity: podAffinity(random) })),
    ...random.maybe(0.25, () => ({ podAntiAffinity: podAffinity(random) })),
  };
  const volumes = podVolumes(random, claims);
  const devices = resourceClaims.length > 0 && random.chance(0.6) ? [random.pick(resourceClaims)] : [];
  const special = isScheduled ? specialResource(random, resourceClaims.length > 0) : {};
  const containers = random.list(1, 2, (index) =>
    container(random, `c${index}`, { special: index === 0 ? special : {} }),
  );
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      labels: { app: random.pick(apps), ...random.maybe(0.3, () => ({ v: random.pick(['1', '2']) })) },
      ...random.maybe(0.15, () => ({ ownerReferences: [owner(random)] })),
    },
    spec: {
      ...(isScheduled ? { schedulerName: random.pick([...schedulerNames, 'default-scheduler']) } : {}),
      containers: containers.map((one) =>
        devices.length === 0 || one !== containers[0]
          ? one
          : { ...one, resources: { ...one.resources, claims: [{ name: 'device' }] } },
      ),
      ...random.maybe(0.2, () => ({
        initContainers: random.list(1, 3, (index) =>
          container(random, `init${index}`, { isInit: true, isSidecar: random.chance(0.4) }),
        ),
      })),
      ...random.maybe(0.08, () => ({ runtimeClassName: 'heavy' })),
      ...random.maybe(0.06, () => ({ resources: { requests: { cpu: '3500m', memory: '9Gi' } } })),
      ...random.maybe(0.5, () => ({
        priorityClassName: random.pick(['low', 'mid', 'high', 'high', 'patient']),
      })),
      ...random.maybe(0.15, () => ({ nodeSelector: { disk: random.pick(['ssd', 'hdd']) } })),
      ...random.maybe(0.35, () => ({ tolerations: random.list(1, 2, () => toleration(random)) })),
      ...(Object.keys(affinity).length > 0 ? { affinity } : {}),
      ...random.maybe(0.3, () => ({ topologySpreadConstraints: spreads(random) })),
      ...(volumes.length === 0 ? {} : { volumes }),
      ...(devices.length === 0
        ? {}
        : { resourceClaims: [{ name: 'device', resourceClaimName: devices[0] }] }),
    },
  };
}

const specialResource = (random: Random, hasDevices: boolean): Record<string, string> => ({
  ...random.maybe(0.08, () => ({ [random.pick(extenderResources)]: '1' })),
  ...(hasDevices ? random.maybe(0.2, () => ({ [deviceResource]: String(random.int(1, 2)) })) : {}),
});

/** A controller of default spreading. */
const owner = (random: Random) => ({
  ...random.pick([
    { apiVersion: 'apps/v1', kind: 'ReplicaSet' },
    { apiVersion: 'apps/v1', kind: 'StatefulSet' },
    { apiVersion: 'v1', kind: 'ReplicationController' },
  ]),
  name: 'owner',
  uid: '00000000-0000-4000-8000-000000000002',
  controller: true,
});

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
    () => ({
      key: 'disk',
      operator: random.pick(['In', 'NotIn']),
      values: [random.pick(['ssd', 'hdd']), ...(random.chance(0.03) ? ['no label'] : [])],
    }),
    () => ({ key: random.pick(['disk', 'tier']), operator: random.pick(['Exists', 'DoesNotExist']) }),
    () => ({
      key: random.pick(['tier', 'tier', 'tier', 'disk']),
      operator: random.pick(['Gt', 'Lt']),
      values: [random.chance(0.03) ? random.pick(['-1', 'many']) : String(random.int(1, 5))],
    }),
    () => ({
      key: zoneLabel,
      operator: 'In',
      values: ['z1', random.pick(['z2', 'z3'])],
    }),
  ];
  return random.pick(requirements)();
}

function nodeTerm(random: Random): object {
  if (random.chance(0.05)) return {};
  const operator = random.pick(['In', 'In', 'NotIn']);
  const fields = { matchFields: [{ key: 'metadata.name', operator, values: [`n${random.int(0, 7)}`] }] };
  const labels = { matchExpressions: random.list(1, 2, () => nodeRequirement(random)) };
  if (random.chance(0.04)) return { ...fields, ...labels };
  return random.chance(0.12) ? fields : labels;
}

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
  if (random.chance(0.3))
    return { matchExpressions: [{ key: 'v', operator: random.pick(['Exists', 'DoesNotExist']) }] };
  const operator = random.pick(['In', 'NotIn']);
  return { matchExpressions: [{ key: 'app', operator, values: [random.pick(apps), random.pick(apps)] }] };
}

const podTerm = (random: Random): object => ({
  ...random.maybe(0.93, () => ({ labelSelector: labelSelector(random), ...labelKeys(random) })),
  topologyKey: random.pick(topologies),
  ...random.maybe(0.1, () => ({
    namespaceSelector: random.pick([{}, { matchLabels: { team: 'a' } }, { matchLabels: { team: 'b' } }]),
  })),
  ...random.maybe(0.1, () => ({ namespaces: random.pick([['default'], ['other'], ['default', 'other']]) })),
});

const labelKeys = (random: Random): object =>
  random.maybe(0.1, () => random.pick([{ matchLabelKeys: ['v'] }, { mismatchLabelKeys: ['v'] }]));

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
      maxSkew: random.int(1, 3),
      topologyKey: random.pick(topologies),
      whenUnsatisfiable,
      ...random.maybe(0.95, () => ({ labelSelector: labelSelector(random) })),
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
