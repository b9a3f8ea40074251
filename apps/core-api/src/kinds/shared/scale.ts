import type { Subresource } from '@annex/kinds';
import {
  compileLabelSelector,
  conflict,
  fieldErrors,
  invalid,
  isObject,
  type JsonObject,
  type KubeObject,
  type LabelSelectorObject,
} from '@annex/machinery';

const scaleKind = { group: 'autoscaling', kind: 'Scale' };

const child = (object: KubeObject, field: 'spec' | 'status'): JsonObject =>
  isObject(object[field]) ? object[field] : {};

/** Returns the label selector of a workload as text; that of a ReplicationController is a plain map. */
export function scaleSelector(object: KubeObject): string {
  const { selector } = child(object, 'spec');
  if (!isObject(selector)) return '';
  const isStructured = isObject(selector.matchLabels) || Array.isArray(selector.matchExpressions);
  const structured =
    object.kind === 'ReplicationController' || !isStructured ? { matchLabels: selector } : selector;
  return String(compileLabelSelector(structured as LabelSelectorObject));
}

/** The desired and current replicas of a workload, read and written as an `autoscaling/v1` Scale. */
export const scale: Pick<Subresource, 'read' | 'write' | 'replicasPaths'> = {
  replicasPaths: new Map(
    ['v1', 'apps/v1', 'apps/v1beta1', 'apps/v1beta2'].map((version) => [version, ['spec', 'replicas']]),
  ),
  read(parent) {
    const { name, namespace, uid, resourceVersion, creationTimestamp } = parent.metadata;
    const { replicas } = child(parent, 'spec');
    const current = Number(child(parent, 'status').replicas ?? 0);
    const selector = scaleSelector(parent);
    return {
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      metadata: { name, namespace, uid, resourceVersion, creationTimestamp } as KubeObject['metadata'],
      spec: replicas ? { replicas } : {},
      status: { replicas: current, ...(selector ? { selector } : {}) },
    };
  },
  write(sent, parent, { info }) {
    const replicas = Number(child(sent, 'spec').replicas ?? 0);
    if (replicas < 0) {
      const text = 'must be greater than or equal to 0';
      throw invalid(scaleKind, parent.metadata.name ?? '', [
        fieldErrors.invalid('spec.replicas', replicas, text),
      ]);
    }
    const { resourceVersion, uid } = sent.metadata;
    if (uid && uid !== parent.metadata.uid) {
      const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${parent.metadata.uid}`;
      throw conflict(
        { group: info.apiGroup, resource: `${info.resource}/scale` },
        parent.metadata.name ?? '',
        why,
      );
    }
    const metadata = { ...parent.metadata };
    // The resourceVersion of the request must match the stored one; without it any version matches.
    if (resourceVersion === undefined) delete metadata.resourceVersion;
    else metadata.resourceVersion = resourceVersion;
    return { ...parent, metadata, spec: { ...child(parent, 'spec'), replicas } };
  },
};
