import { isIPv6 } from 'node:net';
import { getOwn, isObject, type KubeObject } from '@annex/machinery';
import { age, type Cell } from '@annex/kinds';
import { podCells } from '../kinds/core/pods/columns.ts';
import {
  at,
  count,
  labelsText,
  listAt,
  number,
  podCells as templateCells,
  someOf,
  text,
} from '../kinds/shared/cells.ts';

type Cells = Readonly<Record<string, Cell>>;

const join = (ip: unknown, port: unknown) =>
  `${isIPv6(String(ip)) ? `[${String(ip)}]` : String(ip)}:${String(port)}`;

function endpoints(object: KubeObject): string {
  const list = listAt(object, 'subsets').flatMap((subset) => {
    const ips = listAt(subset, 'addresses').map((address) => address.ip);
    const ports = listAt(subset, 'ports');
    return ports.length === 0
      ? ips.map(String)
      : ports.flatMap((port) => ips.map((ip) => join(ip, port.port)));
  });
  return listAt(object, 'subsets').length === 0 ? '<none>' : someOf(list, 3, '');
}

/** Since when something goes on: by the old timestamps, or by the new event's time. */
const firstSeen: Cell = (event, now) =>
  age(
    (at(event, 'firstTimestamp') ??
      at(event, 'deprecatedFirstTimestamp') ??
      at(event, 'eventTime')) as string,
    now,
  );

const lastSeen: Cell = (event, now) => {
  if (isObject(event.series)) return age(event.series.lastObservedTime as string | undefined, now);
  const last = (at(event, 'lastTimestamp') ?? at(event, 'deprecatedLastTimestamp')) as string | undefined;
  return last === undefined ? firstSeen(event, now) : age(last, now);
};

const either =
  (...paths: string[]): ((object: KubeObject) => string) =>
  (object) => {
    for (const path of paths) if (at(object, path)) return String(at(object, path));
    return '';
  };

const eventKind = either('involvedObject.kind', 'regarding.kind');
const eventName = either('involvedObject.name', 'regarding.name');
const component = either(
  'source.component',
  'deprecatedSource.component',
  'reportingComponent',
  'reportingController',
);
const host = either('source.host', 'deprecatedSource.host', 'reportingInstance');

/** Of both groups: the older one's names of the fields stand first. */
export const eventCells: Cells = {
  'Last Seen': lastSeen,
  Type: text('type'),
  Reason: text('reason'),
  Object: (event) => [eventKind(event).toLowerCase(), eventName(event)].filter(Boolean).join('/'),
  Subobject: either('involvedObject.fieldPath', 'regarding.fieldPath'),
  Source: (event) => [component(event), host(event)].filter(Boolean).join(', '),
  Message: (event) => either('message', 'note')(event).trim(),
  'First Seen': firstSeen,
  Count: (event) =>
    Number(at(event, 'series.count') ?? 0) || Number(either('count', 'deprecatedCount')(event)) || 1,
};

function externalIp(service: KubeObject): string {
  const type = at(service, 'spec.type');
  const own = (at(service, 'spec.externalIPs') ?? []) as string[];
  if (type === 'ExternalName') return String(at(service, 'spec.externalName') ?? '');
  if (type === undefined) return '<unknown>';
  if (type !== 'LoadBalancer') return own.length > 0 ? own.join(',') : '<none>';
  return [...loadBalancers(service), ...own].join(',') || '<pending>';
}

/** The addresses that a load balancer reported, each once. */
export function loadBalancers(object: KubeObject): string[] {
  const ingress = listAt(object, 'status.loadBalancer.ingress');
  return [...new Set(ingress.map(({ ip, hostname }) => String(ip || hostname || '')).filter(Boolean))].sort();
}

const servicePorts: Cell = (service) =>
  listAt(service, 'spec.ports')
    .map(
      ({ port, nodePort, protocol }) =>
        `${String(port)}${nodePort ? `:${String(nodePort)}` : ''}/${String(protocol)}`,
    )
    .join(',') || '<none>';

function nodeStatus(node: KubeObject): string {
  const ready = listAt(node, 'status.conditions').find((condition) => condition.type === 'Ready');
  const status = ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady';
  return at(node, 'spec.unschedulable') === true ? `${status},SchedulingDisabled` : status;
}

function nodeRoles(node: KubeObject): string {
  const prefix = 'node-role.kubernetes.io/';
  const roles = Object.entries(node.metadata.labels ?? {}).flatMap(([key, value]) =>
    key.startsWith(prefix) ? [key.slice(prefix.length)] : key === 'kubernetes.io/role' ? [value] : [],
  );
  return [...new Set(roles.filter(Boolean))].sort().join(',') || '<none>';
}

const nodeAddress =
  (type: string): Cell =>
  (node) =>
    listAt(node, 'status.addresses').find((address) => address.type === type)?.address ?? '<none>';

const kernel: Cell = (node) => {
  const architecture = at(node, 'status.nodeInfo.architecture');
  const version = String(text('status.nodeInfo.kernelVersion', '<unknown>')(node, 0));
  return architecture ? `${version} (${String(architecture)})` : version;
};

const modeNames: Record<string, string> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
};

function accessModes(modes: unknown): string {
  const list = Array.isArray(modes) ? modes : [];
  return Object.keys(modeNames)
    .filter((mode) => list.includes(mode))
    .map((mode) => modeNames[mode])
    .join(',');
}

const volumePhase: Cell = (object) =>
  object.metadata.deletionTimestamp === undefined ? String(at(object, 'status.phase') ?? '') : 'Terminating';
const classAnnotation = 'volume.beta.kubernetes.io/storage-class';
const storageClass: Cell = (object) =>
  object.metadata.annotations?.[classAnnotation] ?? String(at(object, 'spec.storageClassName') ?? '');

const volumeCells: Cells = {
  Status: volumePhase,
  StorageClass: storageClass,
  VolumeAttributesClass: text('spec.volumeAttributesClassName', '<unset>'),
  VolumeMode: text('spec.volumeMode', '<unset>'),
};

const whenBound =
  (cell: Cell): Cell =>
  (claim, now) =>
    at(claim, 'spec.volumeName') ? cell(claim, now) : '';

const quota =
  (limits: boolean): Cell =>
  (object) => {
    const hard = (at(object, 'status.hard') ?? {}) as Record<string, string>;
    return Object.keys(hard)
      .sort()
      .filter((name) => name.startsWith('limits.') === limits)
      .map(
        (name) => `${name}: ${String(at(object, 'status.used') ? usedOf(object, name) : '0')}/${hard[name]}`,
      )
      .join(', ');
  };

const usedOf = (object: KubeObject, name: string) =>
  getOwn((at(object, 'status.used') ?? {}) as Record<string, string>, name) ?? '0';

/** The cells of the core group, by resource. */
export const coreCells: Readonly<Record<string, Cells>> = {
  configmaps: { Data: count('data', 'binaryData') },
  endpoints: { Endpoints: endpoints },
  events: eventCells,
  namespaces: { Status: text('status.phase') },
  nodes: {
    Status: nodeStatus,
    Roles: nodeRoles,
    Version: text('status.nodeInfo.kubeletVersion'),
    'Internal-IP': nodeAddress('InternalIP'),
    'External-IP': nodeAddress('ExternalIP'),
    'OS-Image': text('status.nodeInfo.osImage', '<unknown>'),
    'Kernel-Version': kernel,
    'Container-Runtime': text('status.nodeInfo.containerRuntimeVersion', '<unknown>'),
  },
  persistentvolumeclaims: {
    ...volumeCells,
    Volume: text('spec.volumeName'),
    Capacity: whenBound(text('status.capacity.storage', '0')),
    'Access Modes': whenBound((claim) => accessModes(at(claim, 'status.accessModes'))),
  },
  persistentvolumes: {
    ...volumeCells,
    Capacity: text('spec.capacity.storage', '0'),
    'Access Modes': (volume) => accessModes(at(volume, 'spec.accessModes')),
    'Reclaim Policy': text('spec.persistentVolumeReclaimPolicy'),
    Claim: (volume) =>
      at(volume, 'spec.claimRef')
        ? `${String(at(volume, 'spec.claimRef.namespace') ?? '')}/${String(at(volume, 'spec.claimRef.name') ?? '')}`
        : '',
    Reason: text('status.reason'),
  },
  pods: podCells,
  podtemplates: {
    ...templateCells('template'),
    'Pod Labels': (o) => labelsText(at(o, 'template.metadata.labels')),
  },
  replicationcontrollers: {
    Desired: number('spec.replicas'),
    Current: number('status.replicas'),
    Ready: number('status.readyReplicas'),
    ...templateCells('spec.template', (o) => labelsText(at(o, 'spec.selector'))),
  },
  resourcequotas: { Request: quota(false), Limit: quota(true) },
  secrets: { Type: text('type'), Data: count('data') },
  services: {
    Type: text('spec.type'),
    'Cluster-IP': (service) => ((at(service, 'spec.clusterIPs') ?? []) as string[])[0] ?? '<none>',
    'External-IP': externalIp,
    'Port(s)': servicePorts,
    Selector: (service) => labelsText(at(service, 'spec.selector')),
  },
};
