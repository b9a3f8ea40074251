import {
  type FieldError,
  FieldPath,
  fieldErrors,
  forbidden,
  formatTime,
  isObject,
  type JsonObject,
  type KubeObject,
  validateQualifiedName,
} from '@annex/machinery';
import { type KindExtension, restore } from '@annex/kinds';
import type { ServerDeps } from '@annex/server';

const immortal = new Set(['default', 'kube-system', 'kube-public']);
const standardFinalizers = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);
const nameLabel = 'kubernetes.io/metadata.name';

const finalizersOf = (namespace: KubeObject): string[] => {
  const finalizers = isObject(namespace.spec) ? namespace.spec.finalizers : undefined;
  return Array.isArray(finalizers) ? finalizers.map(String) : [];
};

function finalizerErrors(namespace: KubeObject, at: (index: number) => FieldPath): FieldError[] {
  return finalizersOf(namespace).flatMap((name, index) => [
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

function statusErrors(namespace: KubeObject): FieldError[] {
  const phase = isObject(namespace.status) ? (namespace.status.phase ?? '') : '';
  const terminating = namespace.metadata.deletionTimestamp !== undefined;
  if (phase === (terminating ? 'Terminating' : 'Active')) return [];
  const why = terminating
    ? "may only be 'Terminating' if `deletionTimestamp` is not empty"
    : "may only be 'Active' if `deletionTimestamp` is empty";
  return [fieldErrors.invalid('status.Phase', phase, why)];
}

const finalizerPath = FieldPath.of('spec', 'finalizers');

/** Namespaces live until the finalizer in their spec is gone. */
export const namespaces = ({ clock }: ServerDeps): KindExtension => ({
  strategy: {
    prepareForCreate(namespace) {
      const spec = (namespace.spec ?? {}) as JsonObject;
      const finalizers = finalizersOf(namespace);
      namespace.spec = { ...spec, finalizers: [...new Set([...finalizers, 'kubernetes'])] };
      // A generated name is known only now.
      const { name = '', labels } = namespace.metadata;
      namespace.metadata.labels = { ...labels, [nameLabel]: name };
    },
    prepareForUpdate(namespace, old) {
      restore(namespace, old, 'spec');
    },
    validateCreate: (namespace) => finalizerErrors(namespace, () => finalizerPath),
    admitDelete({ metadata: { name = '' } }) {
      if (immortal.has(name)) {
        throw forbidden({ group: '', resource: 'namespaces' }, name, 'this namespace may not be deleted');
      }
    },
    beginDelete(namespace) {
      const held = finalizersOf(namespace).length > 0 || (namespace.metadata.finalizers ?? []).length > 0;
      if (!held) return false;
      // Namespaces have no grace period, not even one of zero seconds.
      namespace.metadata.deletionTimestamp ??= formatTime(clock.now());
      namespace.status = { ...(namespace.status as JsonObject | undefined), phase: 'Terminating' };
      return true;
    },
    holdsDeletion: (namespace) => finalizersOf(namespace).length > 0,
  },
  subresources: {
    status: { validate: statusErrors },
    finalize: {
      resetFields: [['status']],
      write(sent, parent) {
        const { apiVersion, kind, metadata } = sent;
        const finalized = { ...parent, apiVersion, kind, metadata } as KubeObject;
        const finalizers = finalizersOf(sent);
        finalized.spec = finalizers.length > 0 ? { finalizers } : {};
        return finalized;
      },
      validate: (namespace) => finalizerErrors(namespace, (index) => finalizerPath.index(index)),
    },
  },
});
