import type { NodeSelector, Volume } from '../../objects/pod.ts';
import type { CsiNode, PersistentVolume } from '../../objects/volumes.ts';

/** Sources of volumes that CSI drivers replace. */
type Source = Pick<
  Volume,
  'awsElasticBlockStore' | 'azureDisk' | 'cinder' | 'gcePersistentDisk' | 'portworxVolume'
>;

interface Migration {
  readonly plugin: string;
  readonly driver: string;
  /** The driver's label for the zone of a node. */
  readonly zoneKey?: string;
  /** Returns the volume's handle of the driver; `undefined` for other sources. Throws an Error for a source that cannot be translated. */
  handleOf(source: Source, zones: readonly string[]): string | undefined;
}

const unspecified = 'UNSPECIFIED';

/** The plugins of kubelets that CSI drivers have replaced. Source: k8s.io/csi-translation-lib. */
const migrations: readonly Migration[] = [
  {
    plugin: 'kubernetes.io/aws-ebs',
    driver: 'ebs.csi.aws.com',
    zoneKey: 'topology.ebs.csi.aws.com/zone',
    handleOf: ({ awsElasticBlockStore: disk }) => disk && ebsHandle(disk.volumeID),
  },
  {
    plugin: 'kubernetes.io/gce-pd',
    driver: 'pd.csi.storage.gke.io',
    zoneKey: 'topology.gke.io/zone',
    handleOf: ({ gcePersistentDisk: disk }, zones) => disk && gceHandle(disk.pdName, zones),
  },
  {
    plugin: 'kubernetes.io/azure-disk',
    driver: 'disk.csi.azure.com',
    handleOf({ azureDisk: disk }) {
      if (disk?.kind !== undefined && disk.kind.toLowerCase() !== 'managed')
        throw new Error(`kind(${disk.kind}) is not supported in csi migration`);
      return disk?.diskURI;
    },
  },
  {
    plugin: 'kubernetes.io/cinder',
    driver: 'cinder.csi.openstack.org',
    zoneKey: 'topology.cinder.csi.openstack.org/zone',
    handleOf: ({ cinder }) => cinder?.volumeID,
  },
  {
    plugin: 'kubernetes.io/portworx-volume',
    driver: 'pxd.portworx.com',
    handleOf: ({ portworxVolume }) => portworxVolume?.volumeID,
  },
];

/** Replaced plugins whose volumes kube-scheduler does not count. */
const notCounted: ReadonlySet<string> = new Set(['kubernetes.io/azure-file', 'kubernetes.io/vsphere-volume']);

const driverOfPlugin = new Map(migrations.map(({ plugin, driver }) => [plugin, driver]));

/** A volume of a CSI driver. */
export interface DriverVolume {
  readonly driver: string;
  readonly handle: string;
}

/** Returns the driver of a class: its provisioner, or the driver that replaces it; `undefined` if its volumes do not count. */
export function driverOfProvisioner(provisioner: string, csiNode: CsiNode | undefined): string | undefined {
  if (notCounted.has(provisioner)) return undefined;
  const driver = driverOfPlugin.get(provisioner);
  if (driver === undefined) return provisioner;
  return csiNode === undefined ? undefined : driver;
}

/** Returns the volume of the driver that replaces the source of a persistent volume. */
export function translatedVolume(
  { metadata, spec }: PersistentVolume,
  csiNode: CsiNode | undefined,
): DriverVolume | undefined {
  if (csiNode === undefined) return undefined;
  const { labels = {} } = metadata;
  const zones = (labels[betaZone] || labels[zone] || '').split('__').filter((one) => one !== '');
  try {
    return driverVolume(spec, zones);
  } catch {
    // As in kube-scheduler, such a volume is not counted.
    return undefined;
  }
}

/** Returns the volume of the driver that replaces the source of a Pod's volume. Throws an Error for one that cannot be translated. */
export function translatedInlineVolume(
  volume: Volume,
  csiNode: CsiNode | undefined,
): DriverVolume | undefined {
  if (csiNode === undefined) return undefined;
  try {
    return driverVolume(volume, []);
  } catch (error) {
    throw new Error(`converting volume(${volume.name}) from inline to csi: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

/** Returns the driver that replaces the source of a Pod's volume. */
export function driverOfInlineVolume(volume: Volume): string | undefined {
  try {
    return driverVolume(volume, [])?.driver;
  } catch {
    return undefined;
  }
}

/** Returns whether a volume of a Pod has a source that a CSI driver replaces. */
export const isInlineMigratable = (volume: Volume): boolean =>
  [
    volume.awsElasticBlockStore,
    volume.azureDisk,
    volume.azureFile,
    volume.cinder,
    volume.gcePersistentDisk,
    volume.portworxVolume,
    volume.vsphereVolume,
  ].some((source) => source !== undefined);

function driverVolume(source: Source, zones: readonly string[]): DriverVolume | undefined {
  for (const { driver, handleOf } of migrations) {
    const handle = handleOf(source, zones);
    if (handle !== undefined) return { driver, handle };
  }
  return undefined;
}

function ebsHandle(id: string): string {
  if (!id.startsWith('aws://')) return id;
  // The host is the zone.
  const [, , , ...path] = id.split('/');
  const name = path.filter((part) => part !== '').join('/');
  if (!name.startsWith('vol-') || name.includes('/'))
    throw new Error(
      `failed to translate Kubernetes ID to EBS Volume ID Invalid format for AWS volume (${id})`,
    );
  return name;
}

function gceHandle(disk: string, zones: readonly string[]): string {
  if (zones.length < 2) return `projects/${unspecified}/zones/${zones[0] ?? unspecified}/disks/${disk}`;
  const regions = new Set(zones.map((one) => one.split('-').slice(0, 2).join('-')));
  if (regions.size > 1 || zones.some((one) => one.split('-').length !== 3))
    throw new Error('failed to get region from zones');
  return `projects/${unspecified}/regions/${[...regions].join('')}/disks/${disk}`;
}

const zone = 'topology.kubernetes.io/zone';
const betaZone = 'failure-domain.beta.kubernetes.io/zone';
const region = 'topology.kubernetes.io/region';
const betaRegion = 'failure-domain.beta.kubernetes.io/region';
const migratedPlugins = 'storage.alpha.kubernetes.io/migrated-plugins';

/**
 * Returns the nodes that can use a volume, as seen on a node: with the labels of the driver for zones if the driver replaces the volume's
 * plugin there. Throws an Error for a source that cannot be translated.
 */
export function translatedNodes(
  volume: PersistentVolume,
  csiNode: CsiNode | undefined,
): NodeSelector | undefined {
  const { metadata, spec } = volume;
  const required = spec.nodeAffinity?.required;
  const onNode = csiNode?.metadata.annotations?.[migratedPlugins]?.split(',') ?? [];
  const migration = migrations.find(
    ({ handleOf, plugin }) => onNode.includes(plugin) && hasSource(handleOf, spec),
  );
  if (migration?.zoneKey === undefined) return required;
  const { zoneKey } = migration;
  const keys = new Set(
    (required?.nodeSelectorTerms ?? []).flatMap(({ matchExpressions = [] }) =>
      matchExpressions.map(({ key }) => key),
    ),
  );
  const { labels = {} } = metadata;
  const isBeta =
    !keys.has(zone) && (keys.has(betaZone) || (labels[zone] === undefined && labels[betaZone] !== undefined));
  const ownZone = isBeta ? betaZone : zone;
  if (keys.has(ownZone))
    return renamed(
      required,
      new Map([[ownZone, zoneKey], ...(isBeta ? ([[betaRegion, region]] as const) : [])]),
    );
  const zones = (labels[ownZone] ?? '')
    .split('__')
    .map((one) => one.trim())
    .filter((one) => one !== '');
  const kept = isBeta ? renamed(required, new Map([[betaRegion, region]])) : required;
  if (zones.length === 0) return kept;
  const values = [...new Set(zones)].toSorted();
  const terms = kept?.nodeSelectorTerms ?? [];
  return {
    nodeSelectorTerms: (terms.length === 0 ? [{}] : terms).map((term) => ({
      ...term,
      matchExpressions: [...(term.matchExpressions ?? []), { key: zoneKey, operator: 'In', values }],
    })),
  };
}

function hasSource(handleOf: Migration['handleOf'], source: Source): boolean {
  try {
    return handleOf(source, []) !== undefined;
  } catch (error) {
    throw new Error(`could not translate pv: ${(error as Error).message}`, { cause: error });
  }
}

const renamed = (
  selector: NodeSelector | undefined,
  keys: ReadonlyMap<string, string>,
): NodeSelector | undefined =>
  selector && {
    nodeSelectorTerms: (selector.nodeSelectorTerms ?? []).map((term) => ({
      ...term,
      ...(term.matchExpressions && {
        matchExpressions: term.matchExpressions.map((one) => ({ ...one, key: keys.get(one.key) ?? one.key })),
      }),
    })),
  };
