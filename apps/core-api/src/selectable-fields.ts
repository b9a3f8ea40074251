import { tableOf, type KubeObject } from '@annex/machinery';
import type { KindExtension } from '@annex/kinds';
import { at, listAt } from './kinds/shared/cells.ts';

type Value = (object: KubeObject) => string;
type Selectable = Pick<KindExtension, 'selectableFields' | 'unknownField'>;

/** The text under a path; `absent` where there is nothing. */
const field =
  (path: string, absent = ''): Value =>
  (object) =>
    String(at(object, path) ?? absent);

const fields = (...paths: string[]): Record<string, Value> =>
  Object.fromEntries(paths.map((path) => [path, field(path)]));

const nodeName = field('spec.nodeName');

/** Fields beyond name and namespace by which objects can be selected, by group and resource. */
const byResource = tableOf<Readonly<Record<string, Value>>>({
  '/namespaces': fields('status.phase'),
  '/nodes': { 'spec.unschedulable': field('spec.unschedulable', 'false') },
  '/pods': {
    ...fields('spec.restartPolicy', 'spec.schedulerName', 'spec.serviceAccountName'),
    ...fields('status.phase', 'status.nominatedNodeName'),
    'spec.nodeName': nodeName,
    'spec.host': nodeName,
    'spec.hostNetwork': field('spec.hostNetwork', 'false'),
    'status.podIP': (pod) => String(listAt(pod, 'status.podIPs')[0]?.ip ?? at(pod, 'status.podIP') ?? ''),
    // kube takes the name and compares it with nothing.
    'status.podIPs': () => '',
  },
  '/replicationcontrollers': { 'status.replicas': field('status.replicas', '0') },
  '/secrets': fields('type'),
  '/services': fields('spec.clusterIP', 'spec.type'),
  'batch/jobs': { 'status.successful': field('status.succeeded', '0') },
  'certificates.k8s.io/certificatesigningrequests': fields('spec.signerName'),
  'resource.k8s.io/resourceslices': fields('spec.nodeName', 'spec.driver'),
});

/** How kinds complain of other fields that do not do it in the usual words. */
const unknown = tableOf<(field: string) => string>({
  'batch/jobs': (name) => `field label ${JSON.stringify(name)} not supported for Job`,
  'resource.k8s.io/resourceslices': (name) =>
    `field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: ${name}`,
});

/** What the objects of a resource can be selected by; nothing where only their metadata counts. */
export function selectableBy(group: string, resource: string): Selectable {
  const key = `${group}/${resource}`;
  const found = byResource.get(key);
  if (found === undefined) return {};
  const unknownField = unknown.get(key);
  return {
    selectableFields: new Map(Object.entries(found)),
    ...(unknownField === undefined ? {} : { unknownField }),
  };
}
