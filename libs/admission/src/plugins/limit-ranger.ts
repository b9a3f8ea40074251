import {
  getOwn,
  isObject,
  type JsonObject,
  type KubeObject,
  type Quantity,
  setAllOwn,
} from '@annex/machinery';
import type { AdmissionPlugin, AdmissionAttributes, ServerDeps } from '@annex/server';
import { type Container, type Pod, podResources, type Resources } from '../quota/pod-resources.ts';
import { type ResourceList, resourceList } from '../quota/resource-list.ts';
import { refuse } from './refuse.ts';

interface Limit {
  type: string;
  min?: JsonObject;
  max?: JsonObject;
  default?: JsonObject;
  defaultRequest?: JsonObject;
  maxLimitRequestRatio?: JsonObject;
}

const prefix = '/registry/limitranges/';

/**
 * Sets absent requests and limits of pods to the defaults of the LimitRanges of their namespace. Refuses pods
 * and claims outside of the limits. Source: "LimitRanger" of the admission controllers documentation.
 */
export function limitRanger(deps: ServerDeps): AdmissionPlugin {
  const limitsOf = async (namespace: string): Promise<Limit[][]> => {
    const cache = deps.feed.objects(prefix);
    await cache.waitFor();
    return cache
      .list(`${prefix}${namespace}/`)
      .entries.map(
        ({ value }) => (value.object as KubeObject & { spec?: { limits?: Limit[] } }).spec?.limits ?? [],
      );
  };
  return {
    name: 'LimitRanger',
    resources: ['/pods', '/persistentvolumeclaims'],
    async mutate(attributes) {
      if (resourceOf(attributes) !== 'pods' || attributes.object === undefined) return;
      for (const limits of await limitsOf(attributes.namespace)) fillIn(attributes.object as Pod, limits);
    },
    async validate(attributes) {
      const resource = resourceOf(attributes);
      if (resource === undefined) return;
      for (const limits of await limitsOf(attributes.namespace)) {
        const errors = resource === 'pods' ? podErrors(attributes, limits) : claimErrors(attributes, limits);
        if (errors.length === 0) continue;
        throw refuse(attributes, errors.length === 1 ? (errors[0] ?? '') : `[${errors.join(', ')}]`);
      }
    },
  };
}

/** Returns the resource to check: new pods, resized pods, and claims; none for terminating objects. */
function resourceOf({ kind, operation, subresource, oldObject }: AdmissionAttributes) {
  if (operation === 'DELETE' || oldObject?.metadata.deletionTimestamp !== undefined) return undefined;
  if (kind.resource === 'pods') {
    const isResize = operation === 'UPDATE' && subresource === 'resize';
    return isResize || (operation === 'CREATE' && subresource === '') ? 'pods' : undefined;
  }
  return subresource === '' ? kind.resource : undefined;
}

const annotation = 'kubernetes.io/limit-ranger';

/** Sets absent requests and limits of containers, and records them in an annotation. */
function fillIn(pod: Pod, limits: readonly Limit[]): void {
  const defaults = { limits: merged(limits, 'default'), requests: merged(limits, 'defaultRequest') };
  const { containers = [], initContainers = [] } = pod.spec ?? {};
  const notes = [
    ...containers.flatMap((one) => fillContainer(one, defaults, 'container')),
    ...initContainers.flatMap((one) => fillContainer(one, defaults, 'init container')),
  ];
  if (notes.length === 0) return;
  const text = `LimitRanger plugin set: ${notes.join('; ')}`;
  pod.metadata.annotations = { ...pod.metadata.annotations, [annotation]: text };
}

function merged(limits: readonly Limit[], field: 'default' | 'defaultRequest'): JsonObject {
  const amounts = {};
  for (const limit of limits) if (limit.type === 'Container') setAllOwn(amounts, limit[field] ?? {});
  return amounts;
}

function fillContainer(container: Container, defaults: Required<Resources>, what: string): string[] {
  const notes: string[] = [];
  for (const [bound, word] of [
    ['requests', 'request'],
    ['limits', 'limit'],
  ] as const) {
    const provided = container.resources?.[bound] ?? {};
    const missing = Object.keys(defaults[bound]).filter((name) => !Object.hasOwn(provided, name));
    if (missing.length === 0) continue;
    const added = Object.fromEntries(missing.map((name) => [name, getOwn(defaults[bound], name) ?? null]));
    container.resources = { ...container.resources, [bound]: { ...provided, ...added } };
    notes.push(`${missing.sort().join(', ')} ${word} for ${what} ${container.name}`);
  }
  return notes;
}

interface Amounts {
  requests: ResourceList;
  limits: ResourceList;
}

function podErrors({ object }: AdmissionAttributes, limits: readonly Limit[]): string[] {
  const pod = object as Pod;
  const { containers = [], initContainers = [], overhead: _overhead, ...rest } = pod.spec ?? {};
  const whole = { ...pod, spec: { ...rest, containers, initContainers } };
  const total = { requests: podResources(whole, 'requests'), limits: podResources(whole, 'limits') };
  return limits.flatMap((limit) => {
    if (limit.type === 'Pod') return problems(limit, total);
    if (limit.type !== 'Container') return [];
    return [...containers, ...initContainers].flatMap(({ resources }) =>
      problems(limit, {
        requests: resourceList(resources?.requests),
        limits: resourceList(resources?.limits),
      }),
    );
  });
}

const problems = (limit: Limit, amounts: Amounts): string[] => [
  ...each(limit.min, (name, enforced) => belowMin(limit.type, name, enforced, amounts)),
  ...each(limit.max, (name, enforced) => aboveMax(limit.type, name, enforced, amounts)),
  ...each(limit.maxLimitRequestRatio, (name, enforced) => aboveRatio(limit.type, name, enforced, amounts)),
];

/** The storage of a claim has a request and no limit. */
function claimErrors({ object }: AdmissionAttributes, limits: readonly Limit[]): string[] {
  const spec: JsonObject = isObject(object?.spec) ? object.spec : {};
  const { requests } = (isObject(spec.resources) ? spec.resources : {}) as Resources;
  const amounts = { requests: resourceList(requests), limits: new Map() };
  return limits
    .filter(({ type }) => type === 'PersistentVolumeClaim')
    .flatMap(({ type, min, max }) => [
      ...each(min, (name, enforced) => belowMin(type, name, enforced, amounts)),
      ...each(max, (name, enforced) => {
        const usage = `maximum ${name} usage per ${type} is ${enforced}`;
        const request = amounts.requests.get(name);
        if (request === undefined) return `${usage}.  No request is specified`;
        return request.compare(enforced) > 0 ? `${usage}, but request is ${request}` : undefined;
      }),
    ]);
}

const each = (
  list: JsonObject | undefined,
  check: (name: string, enforced: Quantity) => string | undefined,
) => [...resourceList(list)].flatMap(([name, enforced]) => check(name, enforced) ?? []);

function belowMin(type: string, name: string, enforced: Quantity, amounts: Amounts): string | undefined {
  const usage = `minimum ${name} usage per ${type} is ${enforced}`;
  const [request, limit] = [amounts.requests.get(name), amounts.limits.get(name)];
  if (request === undefined) return `${usage}.  No request is specified`;
  if (request.compare(enforced) < 0) return `${usage}, but request is ${request}`;
  return limit !== undefined && limit.compare(enforced) < 0 ? `${usage}, but limit is ${limit}` : undefined;
}

function aboveMax(type: string, name: string, enforced: Quantity, amounts: Amounts): string | undefined {
  const usage = `maximum ${name} usage per ${type} is ${enforced}`;
  const [request, limit] = [amounts.requests.get(name), amounts.limits.get(name)];
  if (limit === undefined) return `${usage}.  No limit is specified`;
  if (limit.compare(enforced) > 0) return `${usage}, but limit is ${limit}`;
  return request !== undefined && request.compare(enforced) > 0
    ? `${usage}, but request is ${request}`
    : undefined;
}

function aboveRatio(type: string, name: string, enforced: Quantity, amounts: Amounts): string | undefined {
  const ratio = `${name} max limit to request ratio per ${type} is ${enforced}, but`;
  const [request, limit] = [amounts.requests.get(name), amounts.limits.get(name)];
  if (request === undefined || request.sign === 0) return `${ratio} no request is specified or request is 0`;
  if (limit === undefined || limit.sign === 0) return `${ratio} no limit is specified or limit is 0`;
  const provided = limit.toNumber() / request.toNumber();
  return provided > enforced.toNumber() ? `${ratio} provided ratio is ${provided.toFixed(6)}` : undefined;
}
