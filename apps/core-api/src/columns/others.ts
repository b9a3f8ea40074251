import { getOwn, humanDuration, isObject, type KubeObject } from '@annex/machinery';
import type { Cell } from '@annex/kinds';
import { eventCells, loadBalancers } from './core.ts';
import {
  at,
  bool,
  count,
  joined,
  listAt,
  number,
  selectorText,
  someOf,
  text,
} from '../kinds/shared/cells.ts';

type Cells = Readonly<Record<string, Cell>>;

const paramKind: Cell = (object) =>
  isObject(at(object, 'spec.paramKind'))
    ? `${String(at(object, 'spec.paramKind.apiVersion') ?? '')}/${String(at(object, 'spec.paramKind.kind') ?? '')}`
    : '<unset>';

const paramRef: Cell = (object) => {
  const { name, namespace, selector } = (at(object, 'spec.paramRef') ?? {}) as Record<string, unknown>;
  if (name) return `${String(namespace || '*')}/${String(name)}`;
  return selector === undefined ? '<unset>' : selectorText(selector);
};

function requestStatus(request: KubeObject): string {
  const has = (type: string) =>
    listAt(request, 'status.conditions').some((condition) => condition.type === type);
  const decided = has('Denied') ? 'Denied' : has('Approved') ? 'Approved' : 'Pending';
  const issued = at(request, 'status.certificate') ? ',Issued' : '';
  return `${decided}${has('Failed') ? ',Failed' : ''}${issued}`;
}

const requestedDuration: Cell = (request) => {
  const seconds = at(request, 'spec.expirationSeconds');
  return seconds === undefined ? '<none>' : humanDuration(Number(seconds) * 1000);
};

/** The name, and whether the class is the one that is taken where none is named. */
const className =
  (...annotations: string[]): Cell =>
  ({ metadata }) =>
    annotations.some((annotation) => getOwn(metadata.annotations, annotation) === 'true')
      ? `${metadata.name} (default)`
      : (metadata.name ?? '');

const ingressParameters: Cell = (object) => {
  const { kind, apiGroup, name } = (at(object, 'spec.parameters') ?? {}) as Record<string, unknown>;
  if (kind === undefined) return '<none>';
  return `${String(kind)}${apiGroup === undefined ? '' : `.${String(apiGroup)}`}/${String(name)}`;
};

const ingressHosts: Cell = (object) => {
  const rules = listAt(object, 'spec.rules');
  const hosts = rules.map((rule) => String(rule.host ?? '')).filter(Boolean);
  if (hosts.length === 0) return '*';
  return hosts.length > 3 ? `${hosts.slice(0, 3).join(',')} + ${rules.length - 3} more...` : hosts.join(',');
};

const parentRef: Cell = (object) => {
  const { group, resource, namespace, name } = (at(object, 'spec.parentRef') ?? {}) as Record<string, string>;
  if (resource === undefined) return '<none>';
  const type = group ? `${resource}.${group}` : resource;
  return [type.toLowerCase(), namespace, name].filter(Boolean).join('/');
};

function claimState(claim: KubeObject): string {
  const deleted = claim.metadata.deletionTimestamp !== undefined;
  if (at(claim, 'status.allocation') === undefined) return deleted ? 'deleted' : 'pending';
  const reserved = listAt(claim, 'status.reservedFor').length > 0;
  return [...(deleted ? ['deleted'] : []), 'allocated', ...(reserved ? ['reserved'] : [])].join(',');
}

const slicePorts: Cell = (object) =>
  someOf(
    listAt(object, 'ports').map(({ port, name }) => String(port ?? name ?? '*')),
    3,
    '<unset>',
  );
const sliceEndpoints: Cell = (object) =>
  someOf(
    listAt(object, 'endpoints').flatMap(({ addresses }) =>
      Array.isArray(addresses) ? addresses.map(String) : [],
    ),
    3,
    '<unset>',
  );

const orNone =
  (path: string): Cell =>
  (object) =>
    at(object, path) ?? '<none>';
const queuing = 'spec.limited.limitResponse.queuing';
const webhooks: Cells = { Webhooks: count('webhooks') };
const binding: Cells = { PolicyName: text('spec.policyName'), ParamRef: paramRef };

/** The cells of the remaining groups, by group and resource. */
export const otherCells: Readonly<Record<string, Cells>> = {
  'admissionregistration.k8s.io/mutatingadmissionpolicies': {
    Mutations: count('spec.mutations'),
    ParamKind: paramKind,
  },
  'admissionregistration.k8s.io/mutatingadmissionpolicybindings': binding,
  'admissionregistration.k8s.io/mutatingwebhookconfigurations': webhooks,
  'admissionregistration.k8s.io/validatingadmissionpolicies': {
    Validations: count('spec.validations'),
    ParamKind: paramKind,
  },
  'admissionregistration.k8s.io/validatingadmissionpolicybindings': binding,
  'admissionregistration.k8s.io/validatingwebhookconfigurations': webhooks,
  'certificates.k8s.io/certificatesigningrequests': {
    SignerName: text('spec.signerName', '<none>'),
    Requestor: text('spec.username'),
    RequestedDuration: requestedDuration,
    Condition: requestStatus,
  },
  'coordination.k8s.io/leases': { Holder: text('spec.holderIdentity') },
  'discovery.k8s.io/endpointslices': {
    AddressType: text('addressType'),
    Ports: slicePorts,
    Endpoints: sliceEndpoints,
  },
  'events.k8s.io/events': eventCells,
  'flowcontrol.apiserver.k8s.io/flowschemas': {
    PriorityLevel: text('spec.priorityLevelConfiguration.name'),
    MatchingPrecedence: number('spec.matchingPrecedence'),
    DistinguisherMethod: text('spec.distinguisherMethod.type', '<none>'),
    MissingPL: (object) =>
      listAt(object, 'status.conditions').find((condition) => condition.type === 'Dangling')?.status ?? '?',
  },
  'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations': {
    Type: text('spec.type'),
    NominalConcurrencyShares: orNone('spec.limited.nominalConcurrencyShares'),
    Queues: orNone(`${queuing}.queues`),
    HandSize: orNone(`${queuing}.handSize`),
    QueueLengthLimit: orNone(`${queuing}.queueLengthLimit`),
  },
  'networking.k8s.io/ingressclasses': {
    Name: className('ingressclass.kubernetes.io/is-default-class'),
    Controller: text('spec.controller'),
    Parameters: ingressParameters,
  },
  'networking.k8s.io/ingresses': {
    Class: text('spec.ingressClassName', '<none>'),
    Hosts: ingressHosts,
    Address: (object) => loadBalancers(object).join(','),
    Ports: (object) => (listAt(object, 'spec.tls').length > 0 ? '80, 443' : '80'),
  },
  'networking.k8s.io/ipaddresses': { ParentRef: parentRef },
  'networking.k8s.io/networkpolicies': {
    'Pod-Selector': (object) => selectorText(at(object, 'spec.podSelector')),
  },
  'networking.k8s.io/servicecidrs': { CIDRs: joined('spec.cidrs') },
  'node.k8s.io/runtimeclasses': { Handler: text('handler') },
  'resource.k8s.io/resourceclaims': { State: claimState },
  'resource.k8s.io/resourceslices': {
    Node: text('spec.nodeName'),
    Driver: text('spec.driver'),
    Pool: text('spec.pool.name'),
  },
  'scheduling.k8s.io/priorityclasses': {
    Value: number('value'),
    'Global-Default': bool('globalDefault'),
    PreemptionPolicy: text('preemptionPolicy'),
  },
  'storage.k8s.io/csidrivers': {
    AttachRequired: bool('spec.attachRequired', true),
    PodInfoOnMount: bool('spec.podInfoOnMount'),
    StorageCapacity: bool('spec.storageCapacity'),
    TokenRequests: (object) =>
      at(object, 'spec.tokenRequests') === undefined
        ? '<unset>'
        : listAt(object, 'spec.tokenRequests')
            .map(({ audience }) => String(audience ?? ''))
            .join(','),
    RequiresRepublish: bool('spec.requiresRepublish'),
    Modes: joined('spec.volumeLifecycleModes', '<none>'),
  },
  'storage.k8s.io/csinodes': { Drivers: count('spec.drivers') },
  'storage.k8s.io/storageclasses': {
    Name: className(
      'storageclass.kubernetes.io/is-default-class',
      'storageclass.beta.kubernetes.io/is-default-class',
    ),
    Provisioner: text('provisioner'),
    ReclaimPolicy: text('reclaimPolicy', 'Delete'),
    VolumeBindingMode: text('volumeBindingMode', 'Immediate'),
    AllowVolumeExpansion: bool('allowVolumeExpansion'),
  },
  'storage.k8s.io/volumeattachments': {
    Attacher: text('spec.attacher'),
    PV: text('spec.source.persistentVolumeName'),
    Node: text('spec.nodeName'),
    Attached: bool('status.attached'),
  },
  'storage.k8s.io/volumeattributesclasses': { DriverName: text('driverName') },
};
