import type { DiscoverySource } from '@annex/kinds';
import { openApiRelease, serverDocument, serverDocumentPaths } from '@annex/openapi';

/** The documents of the system itself, beside those of the group-versions that others serve. */
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
