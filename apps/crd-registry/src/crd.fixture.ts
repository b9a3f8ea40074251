import type { CrdVersion } from './crd/crd.ts';

/** Returns a CRD of `widgets` with one version; a test states only the differences. */
export function crdOf(spec: object = {}, version: Partial<CrdVersion> = {}, group = 'example.com'): object {
  const own = { plural: 'widgets', kind: 'Widget', ...(spec as { names?: object }).names } as {
    plural: string;
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${own.plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      versions: [versionOf(version)],
      ...spec,
      names: own,
    },
  };
}

export const versionOf = (version: Partial<CrdVersion> = {}): CrdVersion => ({
  name: 'v1',
  served: true,
  storage: true,
  schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
  ...version,
});

/** Returns a schema with these properties. */
export const withProperties = (properties: object, rest: object = {}): CrdVersion['schema'] => ({
  openAPIV3Schema: { type: 'object', properties, ...rest } as never,
});
