import {
  deepEqual,
  type FieldError,
  fieldErrors,
  fieldImmutable,
  FieldPath,
  getOwn,
  isObject,
  type JsonObject,
  type KubeObject,
} from '@annex/machinery';
import { internalValue } from '@annex/kinds';
import { childOf } from '../../shared/checks.ts';
import { immutable } from '../../shared/immutable-fields.ts';
import { goFailurePolicy, goSuccessPolicy } from './go-policies.ts';
import { validateOwnSpec } from './validation.ts';

const at = FieldPath.of('spec');
const immutableSelector = immutable('spec.selector');
const immutableTemplate = immutable({ path: 'spec.template', print: internalValue('PodTemplateSpec') });
const immutableRest = immutable(
  'spec.completionMode',
  { path: 'spec.podFailurePolicy', print: goFailurePolicy },
  'spec.backoffLimitPerIndex',
  'spec.managedBy',
  { path: 'spec.successPolicy', print: goSuccessPolicy },
);

/** Checks what an update changes in the spec of a Job. As in kube-apiserver, errors of the spec itself are causes again. */
export const validateJobUpdate = (job: KubeObject, old: KubeObject): FieldError[] => [
  ...validateOwnSpec(specOf(job), at),
  ...completionsErrors(specOf(job), specOf(old)),
  ...immutableSelector(job, old),
  ...(hasFreeTemplate(old) ? templateErrors(job, old) : immutableTemplate(job, old)),
  ...immutableRest(job, old),
];

const specOf = (job: KubeObject): JsonObject => childOf(job, 'spec');

/** An Indexed Job is resized by both numbers; that of any other Job is fixed. */
function completionsErrors(spec: JsonObject, old: JsonObject): FieldError[] {
  const { completions, parallelism, completionMode } = spec;
  if (completions === old.completions) return [];
  const where = at.child('completions');
  if (completionMode !== 'Indexed') return [fieldErrors.invalid(where, completions, fieldImmutable)];
  if (completions === undefined || completions === parallelism) return [];
  return [fieldErrors.invalid(where, completions, 'can only be modified in tandem with spec.parallelism')];
}

/** True for a suspended Job without active Pods: queues change where its Pods will run before they resume it. */
function hasFreeTemplate(job: KubeObject): boolean {
  const { startTime, active = 0, conditions } = childOf(job, 'status');
  const isSuspended =
    Array.isArray(conditions) &&
    conditions.some(
      (condition) => isObject(condition) && condition.type === 'Suspended' && condition.status === 'True',
    );
  return specOf(job).suspend === true && (startTime === undefined || isSuspended) && active === 0;
}

/** Where Pods run, their labels and annotations, and the resources of their containers may change. */
function templateErrors(job: KubeObject, old: KubeObject): FieldError[] {
  const [spec, oldSpec] = [job, old].map((each) => childOf(childOf(specOf(each), 'template'), 'spec'));
  if (deepEqual(spec, withFreeFields(oldSpec!, spec!))) return [];
  return [fieldErrors.invalid(at.child('template', 'spec'), internalValue('PodSpec')(spec), fieldImmutable)];
}

/** Returns an earlier spec of a Pod with the fields of the later one that may change. */
function withFreeFields(old: JsonObject, now: JsonObject): JsonObject {
  const free = {
    nodeSelector: now.nodeSelector,
    tolerations: now.tolerations,
    schedulingGates: now.schedulingGates,
    affinity: affinityOf(old.affinity, now.affinity),
    containers: withResources(old.containers, now.containers),
    initContainers: withResources(old.initContainers, now.initContainers),
  };
  return Object.fromEntries(
    Object.entries({ ...old, ...free }).filter(([, value]) => value !== undefined),
  ) as JsonObject;
}

/** Returns the earlier affinity with the node affinity of the later one; undefined if nothing is in it, and the later one is missing. */
function affinityOf(old: unknown, now: unknown): JsonObject | undefined {
  if (old === undefined && now === undefined) return undefined;
  const nodeAffinity = isObject(now) ? getOwn(now, 'nodeAffinity') : undefined;
  const { nodeAffinity: _before, ...rest } = isObject(old) ? old : ({} as JsonObject);
  const affinity = nodeAffinity === undefined ? rest : { ...rest, nodeAffinity };
  return now === undefined && Object.keys(affinity).length === 0 ? undefined : (affinity as JsonObject);
}

/** Returns earlier containers with the resources of the later ones, where their names are the same. */
function withResources(old: unknown, now: unknown): unknown {
  if (!Array.isArray(old) || !Array.isArray(now) || old.length !== now.length) return old;
  return old.map((container: unknown, i) => {
    const later: unknown = now[i];
    if (!isObject(container) || !isObject(later) || container.name !== later.name) return container;
    const { resources: _before, ...rest } = container;
    return later.resources === undefined ? rest : { ...rest, resources: later.resources };
  });
}
