import { deepEqual, type KubeObject } from '@annex/machinery';

/** Set to `false` on a role or binding, it stays as it is. */
const autoUpdate = 'rbac.authorization.kubernetes.io/autoupdate';

export const isProtected = ({ metadata }: KubeObject): boolean =>
  metadata.annotations?.[autoUpdate] === 'false';

/** Labels and annotations that are expected are added where they are absent. */
export function reconciledMetadata({ metadata }: KubeObject, expected: KubeObject): KubeObject['metadata'] {
  const labels = { ...expected.metadata.labels, ...metadata.labels };
  const annotations = { ...expected.metadata.annotations, ...metadata.annotations };
  const complete =
    deepEqual(labels, metadata.labels ?? {}) && deepEqual(annotations, metadata.annotations ?? {});
  return complete ? metadata : { ...metadata, labels, annotations };
}
