import { expect, it } from 'vitest';
import type { Volume } from '../../objects/pod.ts';
import type { PersistentVolume } from '../../objects/volumes.ts';
import {
  driverOfProvisioner,
  translatedInlineVolume,
  translatedNodes,
  translatedVolume,
} from './csi-migration.ts';

const csiNode = (migrated = '') => ({
  metadata: { name: 'n1', annotations: { 'storage.alpha.kubernetes.io/migrated-plugins': migrated } },
  spec: {},
});
const volume = (spec: PersistentVolume['spec'], labels: Record<string, string> = {}): PersistentVolume => ({
  metadata: { name: 'v', labels },
  spec,
});

it.each<[string, PersistentVolume, string | undefined]>([
  ['EBS', volume({ awsElasticBlockStore: { volumeID: 'vol-1' } }), 'ebs.csi.aws.com vol-1'],
  [
    'EBS with a zone in its name',
    volume({ awsElasticBlockStore: { volumeID: 'aws://us-1a/vol-1' } }),
    'ebs.csi.aws.com vol-1',
  ],
  ['EBS with a name that is none', volume({ awsElasticBlockStore: { volumeID: 'aws:///x' } }), undefined],
  [
    'a disk of GCE in a zone',
    volume({ gcePersistentDisk: { pdName: 'd' } }, { 'topology.kubernetes.io/zone': 'us-c1-a' }),
    'pd.csi.storage.gke.io projects/UNSPECIFIED/zones/us-c1-a/disks/d',
  ],
  [
    'a disk of GCE in several zones',
    volume({ gcePersistentDisk: { pdName: 'd' } }, { 'topology.kubernetes.io/zone': 'us-c1-a__us-c1-b' }),
    'pd.csi.storage.gke.io projects/UNSPECIFIED/regions/us-c1/disks/d',
  ],
  [
    'a managed disk of Azure',
    volume({ azureDisk: { diskURI: 'u', kind: 'Managed' } }),
    'disk.csi.azure.com u',
  ],
  ['another disk of Azure', volume({ azureDisk: { diskURI: 'u', kind: 'Dedicated' } }), undefined],
  ['Cinder', volume({ cinder: { volumeID: 'v' } }), 'cinder.csi.openstack.org v'],
  ['Portworx', volume({ portworxVolume: { volumeID: 'v' } }), 'pxd.portworx.com v'],
  ['no replaced plugin', volume({}), undefined],
])('a driver replaces the source of a volume: %s', (_name, from, expected) => {
  const found = translatedVolume(from, csiNode());
  expect(found && `${found.driver} ${found.handle}`).toBe(expected);
  expect(translatedVolume(from, undefined)).toBeUndefined();
});

it.each<[string, string | undefined]>([
  ['disk.example.com', 'disk.example.com'],
  ['kubernetes.io/gce-pd', 'pd.csi.storage.gke.io'],
  ['kubernetes.io/vsphere-volume', undefined],
])('volumes of the provisioner %s count as those of %s', (provisioner, driver) => {
  expect(driverOfProvisioner(provisioner, csiNode())).toBe(driver);
});

it('a source in a Pod that cannot be translated is an error', () => {
  const disk: Volume = { name: 'd', azureDisk: { diskURI: 'u', kind: 'Shared' } };
  expect(() => translatedInlineVolume(disk, csiNode())).toThrow(
    'converting volume(d) from inline to csi: kind(Shared) is not supported in csi migration',
  );
});

const inZone = (key: string) => ({
  nodeAffinity: {
    required: { nodeSelectorTerms: [{ matchExpressions: [{ key, operator: 'In', values: ['a'] }] }] },
  },
});
const ebs = { awsElasticBlockStore: { volumeID: 'vol-1' } };
const driverZone = 'topology.ebs.csi.aws.com/zone In a';

it.each<[string, string, PersistentVolume, string | undefined]>([
  [
    'the zone is that of the driver where the plugin is replaced',
    'kubernetes.io/aws-ebs',
    volume({ ...ebs, ...inZone('topology.kubernetes.io/zone') }),
    driverZone,
  ],
  [
    'also by the old label',
    'x,kubernetes.io/aws-ebs',
    volume({ ...ebs, ...inZone('failure-domain.beta.kubernetes.io/zone') }),
    driverZone,
  ],
  [
    'and by the label of the volume',
    'kubernetes.io/aws-ebs',
    volume(ebs, { 'topology.kubernetes.io/zone': 'a' }),
    driverZone,
  ],
  [
    'it is kept on other nodes',
    'kubernetes.io/gce-pd',
    volume({ ...ebs, ...inZone('topology.kubernetes.io/zone') }),
    'topology.kubernetes.io/zone In a',
  ],
])('%s', (_name, migrated, from, expected) => {
  const [term] = translatedNodes(from, csiNode(migrated))?.nodeSelectorTerms ?? [];
  const [one] = term?.matchExpressions ?? [];
  expect(one && `${one.key} ${one.operator} ${one.values?.join()}`).toBe(expected);
});
