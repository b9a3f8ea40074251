import {
  type KindRegistry,
  type OpenApiDocuments,
  recordedComponents,
  recordedGroupVersions,
  resourceDiscovery,
  retiredGroupVersions,
} from '@annex/kinds';
import { describedComponents, descriptionsHash } from './descriptions.ts';
import { openApiDocument, openApiRelease } from './document.ts';

const pathOf = (gv: { group: string; version: string }): string =>
  gv.group === '' ? `api/${gv.version}` : `apis/${gv.group}/${gv.version}`;

/**
 * Returns the OpenAPI documents of a registry's built-in kinds in the accepted groups. Each document is built
 * at its first use.
 */
export function builtinDocuments(kinds: KindRegistry, accepts: (group: string) => boolean): OpenApiDocuments {
  const known = [...recordedGroupVersions(), ...retiredGroupVersions].filter((gv) => accepts(gv.group));
  const versions = () => known.filter((gv) => kinds.hasVersion(gv.group, gv.version));
  return {
    paths: () => versions().map(pathOf),
    document(path) {
      const gv = versions().find((candidate) => pathOf(candidate) === path);
      if (gv === undefined) return undefined;
      const { group, version } = gv;
      const resources = [...kinds.ofGroup(group)]
        .filter((kind) => kind.version === version)
        .map(resourceDiscovery);
      const schemas = describedComponents(recordedComponents(group, version));
      return openApiDocument({ group, version, resources, schemas, custom: false });
    },
    // All other parts of a document are recorded and never change.
    hash: (path) =>
      versions().some((gv) => pathOf(gv) === path) ? `${openApiRelease}-${descriptionsHash()}` : undefined,
  };
}
