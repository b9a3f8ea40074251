import type { DiscoverySource } from '@annex/kinds';
import { openApiRelease, serverDocument, serverDocumentPaths } from '@annex/openapi';

/** Returns the OpenAPI documents of Annex itself, without those of group-versions. */
export function serverDocuments(sources: readonly DiscoverySource[]): DiscoverySource {
  return {
    groups: () => [],
    async openapiPaths() {
      const lists = await Promise.all(sources.map((source) => source.openapiPaths()));
      return serverDocumentPaths(lists.flat());
    },
    openapi: serverDocument,
    openapiHash: () => openApiRelease,
    onChange: () => () => undefined,
  };
}
