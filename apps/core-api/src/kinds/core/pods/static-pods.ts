import type { KubeObject } from '@annex/machinery';

/** Returns whether a pod mirrors one that a kubelet started from a file. */
export const isStatic = ({ metadata }: KubeObject): boolean =>
  metadata.annotations?.['kubernetes.io/config.mirror'] !== undefined;
