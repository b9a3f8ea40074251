import { parseGroupVersion } from '@annex/machinery';
import type { ServerDeps } from '@annex/server';

const crdPrefix = '/registry/apiextensions.k8s.io/customresourcedefinitions/';

/** The resource of a CRD. */
export interface ServedDefinition {
  group: string;
  version: string;
  resource: string;
  namespaced: boolean;
}

/** Finds the CRD that serves a kind. */
export async function servedDefinition(
  feed: ServerDeps['feed'],
  { apiVersion, kind }: { apiVersion: string; kind: string },
): Promise<ServedDefinition | undefined> {
  const { group, version } = parseGroupVersion(apiVersion);
  const cache = feed.objects(crdPrefix);
  await cache.waitFor(0);
  for (const { value } of cache.list(crdPrefix).entries) {
    const { spec } = value.object as unknown as Definition;
    const served = spec.versions.some((one) => one.name === version && one.served);
    if (spec.group !== group || spec.names.kind !== kind || !served) continue;
    return { group, version, resource: spec.names.plural, namespaced: spec.scope === 'Namespaced' };
  }
  return undefined;
}

interface Definition {
  spec: {
    group: string;
    scope: string;
    names: { kind: string; plural: string };
    versions: { name: string; served: boolean }[];
  };
}
