import { deepEqual, type KubeObject } from '@annex/machinery';

/** If set to `false` on a role or binding, the object is not changed. */
const autoUpdate = 'rbac.authorization.kubernetes.io/autoupdate';

export const isProtected = ({ metadata }: KubeObject): boolean =>
  metadata.annotations?.[autoUpdate] === 'false';

/** Adds expected labels and annotations that are absent. */
export function reconciledMetadata({ metadata }: KubeObject, expected: KubeObject): KubeObject['metadata'] {
  const labels = { ...expected.metadata.labels, ...metadata.labels };
  const annotations = { ...expected.metadata.annotations, ...metadata.annotations };
  const complete =
    deepEqual(labels, metadata.labels ?? {}) && deepEqual(annotations, metadata.annotations ?? {});
  return complete ? metadata : { ...metadata, labels, annotations };
}
