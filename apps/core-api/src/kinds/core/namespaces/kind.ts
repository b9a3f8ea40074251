import { restore } from '@annex/kinds';
import { forbidden, formatTime, type JsonObject, type KubeObject, nameIsDnsLabel } from '@annex/machinery';
import type { ServerDeps } from '@annex/server';
import { textCell } from '../../shared/cells.ts';
import { fieldSelectors } from '../../shared/selectable-fields.ts';
import { withLabels } from '../../shared/labels.ts';
import type { BuiltinKind } from '../../builtin-kind.ts';
import { namespaceDefaults } from './defaults.ts';
import { finalizerErrors, finalizerPath, finalizersOf, statusErrors } from './validation.ts';

const immortal = new Set(['default', 'kube-system', 'kube-public']);
const nameLabel = 'kubernetes.io/metadata.name';

/** Namespaces are deleted when the finalizer in their spec is removed. */
export const namespaces = ({ clock }: ServerDeps): BuiltinKind => ({
  group: '',
  resource: 'namespaces',
  defaults: namespaceDefaults,
  validation: { create: (namespace) => finalizerErrors(namespace, () => finalizerPath) },
  strategy: {
    allowUnconditionalUpdate: true,
    validateName: nameIsDnsLabel,
    returnsDeleted: true,
    prepareForCreate(namespace) {
      const spec = (namespace.spec ?? {}) as JsonObject;
      const finalizers = finalizersOf(namespace);
      const isKept = finalizers.includes('kubernetes');
      namespace.spec = { ...spec, finalizers: isKept ? finalizers : [...finalizers, 'kubernetes'] };
      // A generated name is known from here on.
      const { name = '', labels } = namespace.metadata;
      namespace.metadata.labels = withLabels(labels, { [nameLabel]: name }) as Record<string, string>;
    },
    prepareForUpdate(namespace, old) {
      restore(namespace, old, 'spec');
    },
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
  cells: { Status: textCell('status.phase') },
  selectableFields: fieldSelectors('status.phase'),
});
