import type { ScenarioObject } from '../scheduler/scenario.ts';
import { zoneLabel, zones } from './labels.ts';
import type { Random } from './random.ts';

const driver = 'csi.example.com';
/** A driver that replaces a plugin of kubelets, and its label for zones. */
const ebsDriver = 'ebs.csi.aws.com';
const ebsPlugin = 'kubernetes.io/aws-ebs';
export const ebsZoneLabel = 'topology.ebs.csi.aws.com/zone';

const storageClasses = [
  { name: 'now', provisioner: 'kubernetes.io/no-provisioner', volumeBindingMode: 'Immediate' },
  { name: 'later', provisioner: 'kubernetes.io/no-provisioner', volumeBindingMode: 'WaitForFirstConsumer' },
  { name: 'made', provisioner: driver, volumeBindingMode: 'WaitForFirstConsumer' },
  { name: 'ebs', provisioner: ebsPlugin, volumeBindingMode: 'WaitForFirstConsumer' },
  {
    name: 'zonal',
    provisioner: driver,
    volumeBindingMode: 'WaitForFirstConsumer',
    allowedTopologies: [{ matchLabelExpressions: [{ key: zoneLabel, values: ['z1', 'z2'] }] }],
  },
].map(({ name, ...rest }) => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name },
  ...rest,
}));

/**
 * Returns claims: bound ones on volumes of a zone or a node, unbound immediate ones, and ones that wait for their Pod; with classes, volumes,
 * a driver, and its limits.
 */
export function randomStorage(random: Random, nodes: readonly string[]): ScenarioObject[] {
  const claims = random.list(1, 5, (index) => index).flatMap((index) => claimAndVolume(random, index, nodes));
  const spares = random.list(0, 2, (index) => volume(random, `spare-${index}`, nodes, 'later'));
  return [...storageClasses, ...driverObjects(random, nodes), ...claims, ...spares];
}

function claimAndVolume(random: Random, index: number, nodes: readonly string[]): ScenarioObject[] {
  if (!random.chance(0.6))
    return [
      claim(random, index, random.pick(['now', 'later', 'later', 'made', 'zonal', 'ebs', 'absent'])),
      ...(random.chance(0.6) ? [volume(random, `v${index}`, nodes, 'later')] : []),
    ];
  const bound = claim(random, index, 'now', `v${index}`);
  // Some volumes are deleted while claims are bound to them.
  return random.chance(0.08) ? [bound] : [volume(random, `v${index}`, nodes, 'now', bound), bound];
}

function volume(
  random: Random,
  name: string,
  nodes: readonly string[],
  storageClassName: string,
  claim?: ScenarioObject,
): ScenarioObject {
  const isCsi = random.chance(0.5);
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: {
      name,
      ...random.maybe(0.4, () => ({
        labels: {
          [zoneLabel]: random.pick([...zones, 'z1__z2']),
          ...random.maybe(0.3, () => ({ speed: 'fast' })),
        },
      })),
    },
    spec: {
      capacity: { storage: `${random.int(1, 3)}Gi` },
      accessModes: (claim?.spec?.accessModes as string[] | undefined) ?? ['ReadWriteOnce'],
      storageClassName,
      ...(isCsi ? { csi: { driver, volumeHandle: `handle-${name}` } } : otherSource(random, name)),
      ...random.maybe(0.6, () => ({ nodeAffinity: { required: termsOf(random, nodes) } })),
      ...(claim === undefined
        ? {}
        : { claimRef: { kind: 'PersistentVolumeClaim', namespace: 'default', name: claim.metadata.name } }),
    },
    status: { phase: claim === undefined ? 'Available' : 'Bound' },
  };
}

const otherSource = (random: Random, name: string): object =>
  random.pick([
    { hostPath: { path: '/v' } },
    { awsElasticBlockStore: { volumeID: `vol-${name}` } },
    { awsElasticBlockStore: { volumeID: `aws://z1/vol-${name}` } },
    { cinder: { volumeID: name } },
  ]);

function claim(random: Random, index: number, storageClassName: string, volumeName?: string): ScenarioObject {
  const selector = random.maybe(0.1, () => ({ selector: { matchLabels: { speed: 'fast' } } }));
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name: `c${index}`,
      ...(volumeName === undefined ? {} : { annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } }),
    },
    spec: {
      accessModes: [random.pick(['ReadWriteOnce', 'ReadWriteOnce', 'ReadWriteMany', 'ReadWriteOncePod'])],
      storageClassName,
      resources: { requests: { storage: `${random.int(1, 3)}Gi` } },
      ...(volumeName === undefined ? selector : { volumeName }),
    },
    status: { phase: volumeName === undefined ? 'Pending' : 'Bound' },
  };
}

/** The driver, what each node can attach, and what it can make where. */
function driverObjects(random: Random, nodes: readonly string[]): ScenarioObject[] {
  const storageCapacity = random.chance(0.4);
  return [
    {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSIDriver',
      metadata: { name: driver },
      spec: { storageCapacity, attachRequired: true },
    } as ScenarioObject,
    ...nodes
      .filter(() => random.chance(0.6))
      .map((name) => ({
        apiVersion: 'storage.k8s.io/v1',
        kind: 'CSINode',
        metadata: {
          name,
          ...random.maybe(0.5, () => ({
            annotations: { 'storage.alpha.kubernetes.io/migrated-plugins': ebsPlugin },
          })),
        },
        spec: {
          drivers: [
            ...(random.chance(0.5)
              ? [
                  {
                    name: ebsDriver,
                    nodeID: name,
                    topologyKeys: [],
                    allocatable: { count: random.int(0, 2) },
                  },
                ]
              : []),
            {
              name: driver,
              nodeID: name,
              topologyKeys: [zoneLabel],
              ...random.maybe(0.7, () => ({ allocatable: { count: random.int(0, 2) } })),
            },
          ],
        },
      })),
    ...(storageCapacity ? random.list(0, 3, (index) => capacity(random, index)) : []),
  ];
}

const capacity = (random: Random, index: number): ScenarioObject =>
  ({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSIStorageCapacity',
    metadata: { namespace: 'default', name: `capacity-${index}` },
    storageClassName: random.pick(['made', 'zonal']),
    nodeTopology: random.pick([{}, { matchLabels: { [zoneLabel]: random.pick(zones) } }]),
    capacity: `${random.int(1, 4)}Gi`,
    ...random.maybe(0.3, () => ({ maximumVolumeSize: `${random.int(1, 3)}Gi` })),
  }) as ScenarioObject;

const termsOf = (random: Random, nodes: readonly string[]): object => ({
  nodeSelectorTerms: random.list(1, 2, () => ({
    matchExpressions: [
      random.chance(0.5)
        ? { key: zoneLabel, operator: random.pick(['In', 'NotIn']), values: [random.pick(zones)] }
        : { key: 'kubernetes.io/hostname', operator: 'In', values: [random.pick(nodes)] },
    ],
  })),
});

/** Returns the volumes of a Pod: claims, ephemeral ones, and disks that Pods cannot share. */
export function podVolumes(random: Random, claims: readonly string[]): object[] {
  const used =
    claims.length > 0 && random.chance(0.7)
      ? [...new Set(random.list(1, 2, () => random.pick(claims)))].map((claimName, index) => ({
          name: `data${index}`,
          persistentVolumeClaim: { claimName },
        }))
      : [];
  return [
    ...used,
    ...(random.chance(0.03) ? [{ name: 'tmp', ephemeral: { volumeClaimTemplate: ephemeralClaim } }] : []),
    ...(random.chance(0.06) ? [{ name: 'disk', ...disk(random) }] : []),
  ];
}

const ephemeralClaim = {
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
};

const disk = (random: Random): object =>
  random.pick([
    { gcePersistentDisk: { pdName: random.pick(['d1', 'd2']), readOnly: random.chance(0.5) } },
    { awsElasticBlockStore: { volumeID: random.pick(['d1', 'd2']) } },
    {
      iscsi: {
        targetPortal: '10.0.0.9:3260',
        iqn: 'iqn.2026-01.example:d',
        lun: 0,
        readOnly: random.chance(0.5),
      },
    },
    { rbd: { monitors: ['10.0.0.8:6789'], image: random.pick(['d1', 'd2']), readOnly: random.chance(0.5) } },
  ]);
