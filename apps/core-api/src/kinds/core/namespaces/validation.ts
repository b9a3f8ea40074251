import {
  errorsOfEach,
  type FieldError,
  fieldErrors,
  FieldPath,
  isObject,
  type KubeObject,
  validateQualifiedName,
} from '@annex/machinery';

const standardFinalizers = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);

export const finalizersOf = (namespace: KubeObject): string[] => {
  const finalizers = isObject(namespace.spec) ? namespace.spec.finalizers : undefined;
  return Array.isArray(finalizers) ? finalizers.map(String) : [];
};

export function finalizerErrors(namespace: KubeObject, at: (index: number) => FieldPath): FieldError[] {
  return errorsOfEach(finalizersOf(namespace), (name, index) => [
    ...validateQualifiedName(name).map((why) => fieldErrors.invalid(at(index), name, why)),
    ...(name.includes('/') || standardFinalizers.has(name)
      ? []
      : [
          fieldErrors.invalid(
            at(index),
            name,
            'name is neither a standard finalizer name nor is it fully qualified',
          ),
        ]),
  ]);
}

export function statusErrors(namespace: KubeObject): FieldError[] {
  const phase = isObject(namespace.status) ? (namespace.status.phase ?? '') : '';
  const terminating = namespace.metadata.deletionTimestamp !== undefined;
  if (phase === (terminating ? 'Terminating' : 'Active')) return [];
  const why = terminating
    ? "may only be 'Terminating' if `deletionTimestamp` is not empty"
    : "may only be 'Active' if `deletionTimestamp` is empty";
  return [fieldErrors.invalid('status.Phase', phase, why)];
}

export const finalizerPath = FieldPath.of('spec', 'finalizers');
