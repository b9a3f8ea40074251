import type { RequestContext } from '@annex/kinds';
import {
  badRequest,
  conflict,
  type FieldError,
  fieldErrors,
  fieldErrorText,
  formatTime,
  isObject,
  type JsonObject,
  type KubeObject,
  notFound,
  objectModified,
  type Status,
  unclassified,
} from '@annex/machinery';
import { encodeStored, type ServerDeps } from '@annex/server';
import { StoreError } from '@annex/storage';
import { childOf, objectsOf } from '../../shared/checks.ts';

export const podPrefix = '/registry/pods/';
const pods = { group: '', resource: 'pods' };

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

/** Throws kube-apiserver's error if a binding names no node. */
export function requireTarget(binding: KubeObject): void {
  const errors = bindingErrors(binding).map(fieldErrorText);
  if (errors.length > 0) throw unclassified(errors.length === 1 ? errors.join('') : `[${errors.join(', ')}]`);
}

/** Checks that a binding names the pod of the URL, and a node. */
export function checkBinding(binding: KubeObject, { info }: RequestContext): void {
  if (binding.metadata.name !== info.name) {
    throw badRequest('name in URL does not match name in Binding object');
  }
  requireTarget(binding);
}

/** Assigns a pod to the node that the binding names, as a scheduler requests. */
export async function bind(
  deps: ServerDeps,
  binding: KubeObject,
  pod: KubeObject | undefined,
  request: RequestContext,
): Promise<KubeObject> {
  const name = binding.metadata.name ?? '';
  if (name === '') throw badRequest('Name parameter required.');
  if (pod === undefined) throw notFound(pods, name);
  const { metadata } = pod;
  const { nodeName, schedulingGates } = childOf(pod, 'spec');
  const refuse = (why: string) => conflict({ group: '', resource: 'pods/binding' }, name, why);
  if (metadata.deletionTimestamp) throw refuse(`pod ${name} is being deleted, cannot be assigned to a host`);
  if (nodeName) throw refuse(`pod ${name} is already assigned to node ${JSON.stringify(nodeName)}`);
  if (objectsOf(schedulingGates).length > 0) throw refuse(`pod ${name} has non-empty .spec.schedulingGates`);
  const { uid, resourceVersion } = binding.metadata;
  if (uid && uid !== metadata.uid) throw refuse(objectModified);
  if (resourceVersion && resourceVersion !== metadata.resourceVersion) throw refuse(objectModified);
  if (!request.query.getAll('dryRun').includes('All')) {
    await replace(deps, bound(pod, binding, deps.clock.now()), Number(metadata.resourceVersion), refuse);
  }
  const status: Status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };
  return { ...status };
}

function bound(pod: KubeObject, binding: KubeObject, now: number): KubeObject {
  const { nominatedNodeName: _nominated, ...status } = (isObject(pod.status) ? pod.status : {}) as JsonObject;
  const others = objectsOf(status.conditions).filter((condition) => condition.type !== 'PodScheduled');
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
    spec: { ...childOf(pod, 'spec'), nodeName: (binding.target as { name: string }).name },
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
