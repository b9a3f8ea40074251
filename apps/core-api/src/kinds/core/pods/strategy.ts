import {
  conflict,
  deepEqual,
  type FieldError,
  fieldErrors,
  formatTime,
  getOwn,
  invalid,
  isObject,
  type JsonObject,
  type KubeObject,
  notFound,
  type ObjectMeta,
  objectModified,
  Quantity,
  setOwn,
  type Status,
  tableOf,
} from '@annex/machinery';
import { encodeStored, type ServerDeps } from '@annex/server';
import type { KindExtension, RequestContext, TableRowCondition } from '@annex/kinds';
import { StoreError } from '@annex/storage';
import { attachOptions, execOptions, portForwardOptions } from '../shared/connect-options.ts';
import { checkPodAddress } from '../services/proxy-target.ts';
import { podConnection, podLog, proxied } from './connections.ts';
import { podStatus } from './status.ts';
import { evict } from './eviction.ts';
import { podGracePeriod } from './grace-period.ts';

export const podPrefix = '/registry/pods/';
const pods = { group: '', resource: 'pods' };

const specOf = (pod: KubeObject): JsonObject => (isObject(pod.spec) ? pod.spec : {});
const objects = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** What is done to a pod when it has no node yet, and no kubelet will ever report of it. */
const newStatus = (pod: KubeObject) => ({ phase: 'Pending', qosClass: qosClass(specOf(pod)) });

/** How well a pod's resources are guaranteed, from the requests and limits of its containers. */
export function qosClass(spec: JsonObject): 'BestEffort' | 'Burstable' | 'Guaranteed' {
  const containers = [...objects(spec.containers), ...objects(spec.initContainers)];
  const amounts = (container: JsonObject, field: string): JsonObject => {
    const resources = isObject(container.resources) ? container.resources : {};
    const found = getOwn(resources, field);
    return isObject(found) ? found : {};
  };
  const counted = ['cpu', 'memory'];
  const has = (container: JsonObject, field: string) =>
    counted.some((name) => !isNone(getOwn(amounts(container, field), name)));
  if (!containers.some((c) => has(c, 'requests') || has(c, 'limits'))) return 'BestEffort';
  const guaranteed = containers.every((container) =>
    counted.every((name) => {
      const limit = getOwn(amounts(container, 'limits'), name);
      const request = getOwn(amounts(container, 'requests'), name) ?? limit;
      return !isNone(limit) && Quantity.parse(String(request)).compare(Quantity.parse(String(limit))) === 0;
    }),
  );
  return guaranteed ? 'Guaranteed' : 'Burstable';
}

const isNone = (amount: unknown) => amount === undefined || /^0+[a-zA-Z]*$/.test(String(amount));

/** Fields of a pod that may change after it was created. */
function withoutMutable(spec: JsonObject): JsonObject {
  const {
    activeDeadlineSeconds: _deadline,
    tolerations: _tolerations,
    terminationGracePeriodSeconds: _grace,
    ...rest
  } = spec;
  for (const field of containerLists) {
    if (Array.isArray(rest[field]))
      rest[field] = objects(rest[field]).map(({ image: _image, ...other }) => other);
  }
  return rest;
}

const immutableText =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

const containerLists = ['containers', 'initContainers'] as const;

/** The first thing that keeps an update from being looked at any further. */
function blockingErrors(spec: JsonObject, old: JsonObject): FieldError[] {
  const resized = containerLists.find((list) => objects(spec[list]).length !== objects(old[list]).length);
  if (resized !== undefined)
    return [fieldErrors.forbidden(`spec.${resized}`, 'pod updates may not add or remove containers')];
  const [seconds, before] = [spec.activeDeadlineSeconds, old.activeDeadlineSeconds];
  return typeof seconds === 'number' && typeof before === 'number' && before < seconds
    ? [
        fieldErrors.invalid(
          'spec.activeDeadlineSeconds',
          seconds,
          'must be less than or equal to previous value',
        ),
      ]
    : [];
}

function updateErrors(pod: KubeObject, old: KubeObject): FieldError[] {
  const blocking = blockingErrors(specOf(pod), specOf(old));
  if (blocking.length > 0) return blocking;
  const gates = objects(specOf(old).schedulingGates).length > 0;
  const strip = (spec: JsonObject) => {
    const { schedulingGates: _gates, nodeSelector, affinity, ...rest } = withoutMutable(spec);
    return gates ? rest : { ...rest, nodeSelector, affinity };
  };
  return deepEqual(strip(specOf(pod)), strip(specOf(old)))
    ? []
    : [fieldErrors.forbidden('spec', immutableText)];
}

const bindingErrors = (binding: KubeObject): FieldError[] => {
  const target = (isObject(binding.target) ? binding.target : {}) as { kind?: string; name?: string };
  const kinds = ['Node', '<empty>'];
  return [
    ...(target.kind && target.kind !== 'Node'
      ? [fieldErrors.notSupported('target.kind', target.kind, kinds)]
      : []),
    ...(target.name ? [] : [fieldErrors.required('target.name')]),
  ];
};

/** Assigns a pod to a node, as a scheduler asks for it. */
export async function bind(
  deps: ServerDeps,
  binding: KubeObject,
  pod: KubeObject | undefined,
  ctx: RequestContext,
): Promise<KubeObject> {
  const name = binding.metadata.name ?? '';
  if (pod === undefined) throw notFound(pods, name);
  const errors = bindingErrors(binding);
  if (errors.length > 0) throw invalid({ group: '', kind: 'Binding' }, name, errors);
  const { metadata } = pod;
  const { nodeName, schedulingGates } = specOf(pod);
  const refuse = (why: string) => conflict({ group: '', resource: 'pods/binding' }, name, why);
  if (metadata.deletionTimestamp) throw refuse(`pod ${name} is being deleted, cannot be assigned to a host`);
  if (nodeName) throw refuse(`pod ${name} is already assigned to node ${JSON.stringify(nodeName)}`);
  if (objects(schedulingGates).length > 0) throw refuse(`pod ${name} has non-empty .spec.schedulingGates`);
  const { uid, resourceVersion } = binding.metadata;
  if (uid && uid !== metadata.uid) throw refuse(objectModified);
  if (resourceVersion && resourceVersion !== metadata.resourceVersion) throw refuse(objectModified);
  if (!ctx.query.getAll('dryRun').includes('All')) {
    await replace(deps, bound(pod, binding, deps.clock.now()), Number(metadata.resourceVersion), refuse);
  }
  const status: Status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };
  return { ...status };
}

function bound(pod: KubeObject, binding: KubeObject, now: number): KubeObject {
  const { nominatedNodeName: _nominated, ...status } = (isObject(pod.status) ? pod.status : {}) as JsonObject;
  const others = objects(status.conditions).filter((condition) => condition.type !== 'PodScheduled');
  const scheduled = {
    type: 'PodScheduled',
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: formatTime(now),
  };
  const merged = (field: 'annotations' | 'labels') => {
    const both = { ...pod.metadata[field], ...binding.metadata[field] };
    return Object.keys(both).length > 0 ? { [field]: both } : {};
  };
  return {
    ...pod,
    metadata: { ...pod.metadata, ...merged('annotations'), ...merged('labels') },
    spec: { ...specOf(pod), nodeName: (binding.target as { name: string }).name },
    status: { ...status, conditions: [...others, scheduled] },
  };
}

async function replace(deps: ServerDeps, pod: KubeObject, version: number, refuse: (why: string) => Error) {
  const key = `${podPrefix}${pod.metadata.namespace}/${pod.metadata.name}`;
  try {
    await deps.store.update(key, encodeStored(pod), version);
  } catch (error) {
    if (error instanceof StoreError && error.code === 'conflict') throw refuse(objectModified);
    if (error instanceof StoreError && error.code === 'notFound')
      throw notFound(pods, pod.metadata.name ?? '');
    throw error;
  }
}

/** What a Table says of a pod that has ended. */
function completion(pod: KubeObject): TableRowCondition[] {
  const phase = isObject(pod.status) ? pod.status.phase : undefined;
  const message = completions.get(String(phase));
  return message === undefined ? [] : [{ type: 'Completed', status: 'True', reason: String(phase), message }];
}

const completions = tableOf({
  Succeeded: 'The pod has completed successfully.',
  Failed: 'The pod failed.',
});

/** Pods: stored, listed, bound and evicted; nothing runs them here. */
export const podKind = (deps: ServerDeps): KindExtension => ({
  strategy: {
    prepareForCreate(pod) {
      pod.status = newStatus(pod);
      const spec = specOf(pod);
      // kube takes negative periods for a second.
      if (Number(spec.terminationGracePeriodSeconds) < 0) spec.terminationGracePeriodSeconds = 1;
    },
    gracePeriod: podGracePeriod,
    validateUpdate: updateErrors,
  },
  subresources: {
    status: podStatus,
    binding: { create: (binding, pod, ctx) => bind(deps, binding, pod, ctx) },
    eviction: { create: (eviction, pod, ctx) => evict(deps, eviction, pod, ctx) },
    ephemeralcontainers: { write: (sent, pod) => takeSpec(sent, pod, ['ephemeralContainers']) },
    resize: { write: (sent, pod) => takeSpec(sent, pod, ['containers', 'initContainers']) },
    attach: podConnection(deps, 'pods/attach', attachOptions),
    exec: podConnection(deps, 'pods/exec', execOptions),
    log: podLog(deps),
    portforward: podConnection(deps, 'pods/portforward', portForwardOptions, false),
    proxy: proxied(deps, 'pod', checkPodAddress),
  },
  rowConditions: completion,
});

function takeSpec(sent: KubeObject, pod: KubeObject, fields: readonly string[]): KubeObject {
  const spec = { ...specOf(pod) };
  for (const field of fields) {
    const value = getOwn(specOf(sent), field);
    if (value !== undefined) setOwn(spec, field, value);
  }
  const { resourceVersion, managedFields } = sent.metadata;
  const metadata: ObjectMeta = { ...pod.metadata, ...(resourceVersion ? { resourceVersion } : {}) };
  if (managedFields === undefined) delete metadata.managedFields;
  else metadata.managedFields = managedFields;
  return { ...pod, metadata, spec };
}

/** Bindings posted to the namespace instead of to the pod. */
export const bindings = (deps: ServerDeps): KindExtension => ({
  strategy: {
    async answer(binding, ctx) {
      const cache = deps.feed.objects(podPrefix);
      await cache.waitFor();
      const key = `${podPrefix}${binding.metadata.namespace ?? ''}/${binding.metadata.name ?? ''}`;
      return bind(deps, binding, cache.get(key)?.value.object, ctx);
    },
  },
});
