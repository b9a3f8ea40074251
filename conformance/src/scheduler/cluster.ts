import { Client, type ClientConfig } from '@annex/client';
import type { KubeObject } from '@annex/machinery';
import type { ScenarioObject } from './scenario.ts';

/** Resources by kind: API version, plural, and whether they have a namespace. */
const resources = new Map<string, { version: string; plural: string; namespaced: boolean }>(
  (
    [
      ['Node', 'v1', 'nodes', false],
      ['Namespace', 'v1', 'namespaces', false],
      ['Pod', 'v1', 'pods', true],
      ['Service', 'v1', 'services', true],
      ['PersistentVolume', 'v1', 'persistentvolumes', false],
      ['PersistentVolumeClaim', 'v1', 'persistentvolumeclaims', true],
      ['ReplicationController', 'v1', 'replicationcontrollers', true],
      ['ServiceAccount', 'v1', 'serviceaccounts', true],
      ['ConfigMap', 'v1', 'configmaps', true],
      ['ReplicaSet', 'apps/v1', 'replicasets', true],
      ['StatefulSet', 'apps/v1', 'statefulsets', true],
      ['Deployment', 'apps/v1', 'deployments', true],
      ['StorageClass', 'storage.k8s.io/v1', 'storageclasses', false],
      ['CSINode', 'storage.k8s.io/v1', 'csinodes', false],
      ['CSIDriver', 'storage.k8s.io/v1', 'csidrivers', false],
      ['CSIStorageCapacity', 'storage.k8s.io/v1', 'csistoragecapacities', true],
      ['PriorityClass', 'scheduling.k8s.io/v1', 'priorityclasses', false],
      ['PodDisruptionBudget', 'policy/v1', 'poddisruptionbudgets', true],
      ['RuntimeClass', 'node.k8s.io/v1', 'runtimeclasses', false],
      ['Lease', 'coordination.k8s.io/v1', 'leases', true],
      ['Event', 'events.k8s.io/v1', 'events', true],
      ['DeviceClass', 'resource.k8s.io/v1', 'deviceclasses', false],
      ['ResourceClaim', 'resource.k8s.io/v1', 'resourceclaims', true],
      ['ResourceClaimTemplate', 'resource.k8s.io/v1', 'resourceclaimtemplates', true],
      ['ResourceSlice', 'resource.k8s.io/v1', 'resourceslices', false],
      ['ClusterRole', 'rbac.authorization.k8s.io/v1', 'clusterroles', false],
      ['ClusterRoleBinding', 'rbac.authorization.k8s.io/v1', 'clusterrolebindings', false],
      ['Role', 'rbac.authorization.k8s.io/v1', 'roles', true],
      ['RoleBinding', 'rbac.authorization.k8s.io/v1', 'rolebindings', true],
    ] as const
  ).map(([kind, version, plural, namespaced]) => [kind, { version, plural, namespaced }]),
);

/** Kinds whose status is written after the creation. */
const withStatus = new Set([
  'Node',
  'PodDisruptionBudget',
  'PersistentVolume',
  'PersistentVolumeClaim',
  'Pod',
  'ResourceClaim',
]);

/** Kinds that a scheduler creates or changes, in addition to those of the scenario. */
const ofSchedulers = ['Pod', 'ResourceClaim', 'Lease'];

/** The position of an object; `undefined` stands for all namespaces, or for the collection. */
export interface Place {
  kind: string;
  namespace?: string | undefined;
  name?: string | undefined;
  subresource?: string | undefined;
}

/** Returns the path of an object or a collection. Throws for a kind that scenarios do not use. */
export function pathOf({ kind, namespace, name, subresource }: Place): string {
  const resource = resources.get(kind);
  if (resource === undefined) throw new Error(`scenarios have no kind ${kind}`);
  const { version, plural, namespaced } = resource;
  const group = version.includes('/') ? 'apis' : 'api';
  const inside = namespaced && namespace !== undefined ? ['namespaces', namespace] : [];
  return [
    '',
    group,
    version,
    ...inside,
    plural,
    ...[name, subresource].filter((part) => part !== undefined),
  ].join('/');
}

const namespaceOf = ({ kind, namespace }: Place): string | undefined =>
  resources.get(kind)?.namespaced === true ? (namespace ?? 'default') : undefined;

/** The objects of the server, and those that a scenario created. */
export class Cluster {
  readonly client: Client;
  #made: Place[] = [];

  constructor(config: ClientConfig) {
    this.client = new Client(config);
  }

  /** Sends a request. Throws StatusError, except for the allowed status codes. */
  async call(method: string, path: string, body?: unknown, allowed: number[] = []): Promise<ScenarioObject> {
    const type = contentType(body);
    const { status, body: bytes } = await this.client.send({
      method,
      path,
      ...(body === undefined ? {} : { body: body instanceof Patch ? body.value : body }),
      ...(type === undefined ? {} : { headers: { 'content-type': type } }),
    });
    const text = bytes.toString();
    if (status >= 400 && !allowed.includes(status)) throw new Error(`${method} ${path}: ${status} ${text}`);
    return text.startsWith('{') ? (JSON.parse(text) as ScenarioObject) : ({} as ScenarioObject);
  }

  async list(kind: string): Promise<ScenarioObject[]> {
    const list = (await this.call('GET', pathOf({ kind }), undefined, [404])) as unknown as {
      items?: ScenarioObject[];
    };
    return list.items ?? [];
  }

  /** Creates an object with its status, and removes the taint that the server sets on new nodes. Resolves to the created object. */
  async create(object: ScenarioObject): Promise<ScenarioObject> {
    const { kind, metadata } = object;
    const place = { kind, namespace: namespaceOf({ kind, namespace: metadata.namespace }) };
    const isShared = kind === 'ServiceAccount' || kind === 'Namespace';
    const created = await this.call('POST', pathOf(place), object, isShared ? [409] : []);
    const made = { ...place, name: metadata.name };
    this.#made.push(made);
    const taints = (of: ScenarioObject): unknown => of.spec?.taints ?? [];
    if (kind === 'Node' && JSON.stringify(taints(created)) !== JSON.stringify(taints(object)))
      await this.call('PATCH', pathOf(made), new Patch({ spec: { taints: object.spec?.taints ?? null } }));
    if (withStatus.has(kind) && object.status !== undefined)
      await this.call(
        'PATCH',
        pathOf({ ...made, subresource: 'status' }),
        new Patch({ status: object.status }),
      );
    return created;
  }

  /** Deletes an object. Without a grace period, its finalizers are removed as well. */
  async remove(place: Place, gracePeriodSeconds: number | undefined): Promise<void> {
    const path = pathOf({ ...place, namespace: namespaceOf(place) });
    const query = gracePeriodSeconds === undefined ? '' : `?gracePeriodSeconds=${gracePeriodSeconds}`;
    const removed = await this.call('DELETE', path + query, undefined, [404]);
    if (gracePeriodSeconds === 0 && (removed.metadata?.finalizers ?? []).length > 0)
      await this.call('PATCH', path, new Patch({ metadata: { finalizers: null } }), [404, 409, 422]);
  }

  /** Deletes everything that the scenario and its schedulers created, and all events. */
  async sweep(): Promise<void> {
    for (const place of this.#made.toReversed()) if (place.kind !== 'Namespace') await this.remove(place, 0);
    for (const kind of ofSchedulers)
      for (const { metadata } of await this.list(kind))
        if (!isOfServer(kind, metadata)) await this.remove({ kind, ...metadata }, 0);
    const namespaces = new Set(
      this.#made.filter(({ kind }) => kind === 'Namespace').map(({ name }) => name ?? ''),
    );
    for (const namespace of [...namespaces, 'default', 'kube-system'])
      await this.call('DELETE', pathOf({ kind: 'Event', namespace }), undefined, [404]);
    for (const name of namespaces) await this.#removeNamespace(name);
    this.#made = [];
  }

  async #removeNamespace(name: string): Promise<void> {
    const path = pathOf({ kind: 'Namespace', name });
    await this.call('DELETE', path, undefined, [404, 409]);
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name }, spec: { finalizers: [] } };
    await this.call('PUT', `${path}/finalize`, body, [404, 409]);
  }

  close(): void {
    this.client.close();
  }
}

const isOfServer = (kind: string, { namespace, name = '' }: KubeObject['metadata']): boolean =>
  kind === 'Lease' && (namespace === 'kube-node-lease' || name.startsWith('apiserver-'));

const patchTypes = { merge: 'merge-patch', json: 'json-patch', strategic: 'strategic-merge-patch' };

/** The body of a PATCH request; by default a merge patch. */
export class Patch {
  readonly value: unknown;
  readonly type: string;

  constructor(value: unknown, type: keyof typeof patchTypes = 'merge') {
    this.value = value;
    this.type = `application/${patchTypes[type]}+json`;
  }
}

const contentType = (body: unknown): string | undefined => (body instanceof Patch ? body.type : undefined);
