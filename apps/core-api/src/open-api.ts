import type { JsonObject } from '@annex/machinery';
import { type KindRegistry, type OpenApiDocuments, recordedComponents } from '@annex/server';

/** The OpenAPI documents of the built-in kinds of a registry, made when they are asked for. */
export function builtinDocuments(kinds: KindRegistry): OpenApiDocuments {
  const versions = new Map<string, { group: string; version: string }>();
  for (const { group, version } of kinds.kinds()) {
    versions.set(group === '' ? `api/${version}` : `apis/${group}/${version}`, { group, version });
  }
  return {
    paths: () => [...versions.keys()],
    document(path) {
      const found = versions.get(path);
      if (found === undefined) return undefined;
      const schemas = recordedComponents(found.group, found.version) as JsonObject;
      return {
        openapi: '3.0.0',
        info: { title: 'Kubernetes', version: 'v1.36.3' },
        paths: {},
        components: { schemas },
      };
    },
  };
}
