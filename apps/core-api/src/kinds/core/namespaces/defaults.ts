import type { Default, TypeDefaults } from '@annex/kinds';
import type { JsonObject } from '@annex/machinery';
import { withLabels } from '../../shared/labels.ts';

/** Each namespace has its name as a label. */
const namespace: Default = (object) => {
  const metadata = object.metadata as JsonObject | undefined;
  const name = metadata?.name;
  // A generated name is not known yet.
  if (metadata === undefined || typeof name !== 'string' || name === '') return;
  metadata.labels = withLabels(metadata.labels, { 'kubernetes.io/metadata.name': name });
};

export const namespaceDefaults: TypeDefaults = {
  'io.k8s.api.core.v1.Namespace': namespace,
  'io.k8s.api.core.v1.NamespaceCondition': { lastTransitionTime: null },
  'io.k8s.api.core.v1.NamespaceStatus': { phase: 'Active' },
};
