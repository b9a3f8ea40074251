import {
  type ApiService,
  availableCondition,
  isRemote,
  portOf,
  type RemoteApiService,
} from '@annex/aggregation';
import { type Endpoint, hostPort } from '@annex/http';
import { type Facts, groupVersion, read, type ServiceObject, serviceName } from './facts.ts';
import { type CheckStep, failed, type Finding, ok, warning } from './finding.ts';

const remoteOf = (facts: Facts): RemoteApiService => facts.apiService as RemoteApiService;

const registrations = '/apis/apiregistration.k8s.io/v1/apiservices';

/** Checks that the APIService exists and names a Service. */
export const apiServiceStep: CheckStep<Facts> = {
  name: 'api-service',
  needs: [],
  async run(facts) {
    const found = await read<ApiService>(facts, `${registrations}/${facts.name}`);
    if (found === undefined) {
      return failed(
        `there is no APIService ${facts.name}`,
        'Create it. Its name is VERSION.GROUP; kubectl get apiservices lists the existing ones.',
      );
    }
    if (!isRemote(found)) {
      return failed(
        `${groupVersion(found)} is served by the API server itself`,
        'Set spec.service if an extension API server serves the version. A CustomResourceDefinition of the same group and version also creates such an APIService: delete the CustomResourceDefinition first.',
      );
    }
    facts.apiService = found;
    return ok(
      `${groupVersion(found)} is forwarded to service ${serviceName(found)}, port ${portOf(found.spec.service)}`,
    );
  },
};

/** Warns if another version of the group is not available: clients read all versions of a group. */
export const groupStep: CheckStep<Facts> = {
  name: 'group',
  needs: ['api-service'],
  async run(facts) {
    const { group } = remoteOf(facts).spec;
    const list = await read<{ items?: ApiService[] }>(facts, registrations);
    const others = (list?.items ?? []).filter(
      ({ spec, metadata }) => spec.group === group && metadata.name !== facts.name,
    );
    const down = others.filter((other) => availableCondition(other)?.status !== 'True');
    if (down.length > 0) {
      const names = down.map(({ metadata }) => metadata.name).join(', ');
      return warning(
        `${names} of the same group ${down.length === 1 ? 'is' : 'are'} not available`,
        'Clients report discovery errors, and namespaces cannot be deleted until it is available. Check that version too, or delete its APIService.',
      );
    }
    return ok(
      others.length === 0
        ? 'no other version in the group'
        : `beside ${others.map(({ metadata }) => metadata.name).join(', ')}`,
    );
  },
};

/** Checks that the Service exists and has the port of the APIService. */
export const serviceStep: CheckStep<Facts> = {
  name: 'service',
  needs: ['api-service'],
  async run(facts) {
    const { service: reference } = remoteOf(facts).spec;
    const { namespace, name } = reference;
    const found = await read<ServiceObject>(facts, `/api/v1/namespaces/${namespace}/services/${name}`);
    if (found === undefined) {
      return failed(
        `there is no Service ${namespace}/${name}`,
        'Create it, or correct spec.service of the APIService.',
      );
    }
    facts.service = found;
    const { type = 'ClusterIP', externalName = '', ports = [], clusterIP = '' } = found.spec ?? {};
    const port = portOf(reference);
    if (type === 'ExternalName') return ok(`points to ${externalName}, port ${port}`);
    const match = ports.find((candidate) => candidate.port === port);
    if (match === undefined) {
      const there = ports.map((candidate) => candidate.port).join(', ');
      return failed(
        `the Service has no port ${port}, only ${there}`,
        `Set spec.service.port of the APIService to a port of the Service (not to a targetPort), or add port ${port} to the Service.`,
      );
    }
    return ok(`${type} ${clusterIP}, port ${port} targets port ${match.targetPort ?? port} of its endpoints`);
  },
};

interface SliceObject {
  ports?: { name?: string; port?: number }[] | null;
  endpoints?: { addresses?: string[]; conditions?: { ready?: boolean } }[] | null;
}

interface PodObject {
  metadata: { name?: string; namespace?: string };
  spec?: { serviceAccountName?: string };
  status?: { conditions?: { type: string; status: string }[] };
}

/** Checks that the Service has ready addresses. */
export const endpointsStep: CheckStep<Facts> = {
  name: 'endpoints',
  needs: ['service'],
  async run(facts) {
    const { service: reference } = remoteOf(facts).spec;
    const { spec = {} } = facts.service as ServiceObject;
    if (spec.type === 'ExternalName') {
      facts.endpoints = [{ host: spec.externalName ?? '', port: portOf(reference) }];
      return ok('not needed: the Service has an external name');
    }
    const portName = spec.ports?.find(({ port }) => port === portOf(reference))?.name ?? '';
    const pods = await podsOf(facts);
    facts.podUsers = new Set(pods?.map(userOf));
    const slices = await slicesOf(facts);
    facts.endpoints = readyEndpoints(slices, portName);
    if (facts.endpoints.length > 0) return ok(facts.endpoints.map(hostPort).join(', '));
    return noEndpoints(slices, portName, spec.selector, pods);
  },
};

async function slicesOf(facts: Facts): Promise<SliceObject[]> {
  const { namespace, name } = remoteOf(facts).spec.service;
  const selector = encodeURIComponent(`kubernetes.io/service-name=${name}`);
  const path = `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices?labelSelector=${selector}`;
  const list = await read<{ items?: SliceObject[] }>(facts, path);
  return list?.items ?? [];
}

const readyEndpoints = (slices: readonly SliceObject[], portName: string): Endpoint[] =>
  slices.flatMap(({ ports, endpoints }) =>
    (ports ?? [])
      .filter(({ name = '', port }) => name === portName && port !== undefined)
      .flatMap(({ port = 0 }) =>
        (endpoints ?? [])
          .filter(({ conditions }) => conditions?.ready !== false)
          .flatMap(({ addresses }) => (addresses ?? []).slice(0, 1).map((host) => ({ host, port }))),
      ),
  );

async function podsOf(facts: Facts): Promise<PodObject[] | undefined> {
  const { selector } = (facts.service as ServiceObject).spec ?? {};
  if (selector === undefined || Object.keys(selector).length === 0) return undefined;
  const labels = encodeURIComponent(selectorText(selector));
  const { namespace } = remoteOf(facts).spec.service;
  const list = await read<{ items?: PodObject[] }>(
    facts,
    `/api/v1/namespaces/${namespace}/pods?labelSelector=${labels}`,
  );
  return list?.items ?? [];
}

const selectorText = (selector: Readonly<Record<string, string>>): string =>
  Object.entries(selector)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');

const userOf = ({ metadata, spec }: PodObject): string =>
  `system:serviceaccount:${metadata.namespace ?? ''}:${spec?.serviceAccountName ?? 'default'}`;

function noEndpoints(
  slices: readonly SliceObject[],
  portName: string,
  selector: Readonly<Record<string, string>> | undefined,
  pods: readonly PodObject[] | undefined,
): Finding {
  if (selector && pods?.length === 0) {
    return failed(
      `no Pod matches the selector of the Service: ${selectorText(selector)}`,
      'Correct spec.selector of the Service or the labels of the Pods, or start the server.',
    );
  }
  const ports = slices.flatMap((slice) => (slice.ports ?? []).map(({ name = '' }) => JSON.stringify(name)));
  if (ports.length > 0 && !ports.includes(JSON.stringify(portName))) {
    return failed(
      `the endpoints have no port named ${JSON.stringify(portName)}, only ${[...new Set(ports)].join(', ')}`,
      'Give the port the same name in the Service and in its EndpointSlices.',
    );
  }
  if (slices.some(({ endpoints }) => (endpoints ?? []).length > 0)) {
    return failed(
      'no endpoint is ready',
      'Check the readiness probes of the Pods (kubectl describe pods) and the log of the server.',
    );
  }
  if (selector && pods && pods.length > 0) {
    return failed(
      `${pods.length} Pods match the selector, but none is an endpoint`,
      'Either the Pods do not run yet, or the EndpointSlice controller of kube-controller-manager does not run.',
    );
  }
  return failed(
    slices.length > 0 ? 'the EndpointSlices of the Service are empty' : 'the Service has no EndpointSlices',
    'A Service without a selector needs an EndpointSlice with the label kubernetes.io/service-name and the address of the server.',
  );
}
