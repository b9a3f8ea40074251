import { deepEqual, type FieldError, fieldErrors, type JsonObject, type KubeObject } from '@annex/machinery';
import { childOf, isMissing, objectsOf } from '../../shared/checks.ts';

/** Removes the fields that may change after the creation of a pod. */
function withoutMutable(spec: JsonObject): JsonObject {
  const {
    activeDeadlineSeconds: _deadline,
    tolerations: _tolerations,
    terminationGracePeriodSeconds: _grace,
    ...rest
  } = spec;
  for (const field of containerLists) {
    if (Array.isArray(rest[field]))
      rest[field] = objectsOf(rest[field]).map(({ image: _image, ...other }) => other);
  }
  return rest;
}

const immutableText =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

const containerLists = ['containers', 'initContainers'] as const;

/** Returns the first errors that prevent further checks of an update. */
function blockingErrors(spec: JsonObject, old: JsonObject): FieldError[] {
  const resized = containerLists.find((list) => objectsOf(spec[list]).length !== objectsOf(old[list]).length);
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

/** Checks that an update does not change immutable fields. */
export function validatePodUpdate(pod: KubeObject, old: KubeObject): FieldError[] {
  const blocking = blockingErrors(childOf(pod, 'spec'), childOf(old, 'spec'));
  if (blocking.length > 0) return blocking;
  const gates = objectsOf(childOf(old, 'spec').schedulingGates).length > 0;
  const strip = (spec: JsonObject) => {
    const { schedulingGates: _gates, nodeSelector, affinity, ...rest } = withoutMutable(spec);
    return gates ? rest : { ...rest, nodeSelector, affinity };
  };
  return deepEqual(strip(childOf(pod, 'spec')), strip(childOf(old, 'spec')))
    ? []
    : [fieldErrors.forbidden('spec', immutableText)];
}

/** Checks that a new pod has no ephemeral containers: they can only be added to existing pods. */
export const validateNewPod = ({ spec }: KubeObject): FieldError[] =>
  isMissing(childOf({ spec }, 'spec').ephemeralContainers)
    ? []
    : [fieldErrors.forbidden('spec.ephemeralContainers', 'cannot be set on create')];
