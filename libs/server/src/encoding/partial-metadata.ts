import type { KubeObject } from '@annex/machinery';

/** Returns the metadata of an object as `meta.k8s.io/v1` PartialObjectMetadata. */
export const partialMetadata = (object: KubeObject, version = 'v1'): KubeObject => ({
  kind: 'PartialObjectMetadata',
  apiVersion: `meta.k8s.io/${version}`,
  metadata: object.metadata,
});
