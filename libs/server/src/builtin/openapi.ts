import { recordedComponents, recordedGroupVersions } from './data.ts';
import { describedComponents, descriptionsHash } from './descriptions.ts';
import { openApiDocument, openApiRelease } from './openapi-document.ts';
import type { OpenApiDocuments } from '../registry-discovery.ts';

const pathOf = (gv: { group: string; version: string }): string =>
  gv.group === '' ? `api/${gv.version}` : `apis/${gv.group}/${gv.version}`;

/** The OpenAPI documents of the built-in groups that the predicate accepts, made when they are asked for. */
export function builtinDocuments(accepts: (group: string) => boolean): OpenApiDocuments {
  const versions = () => recordedGroupVersions().filter((gv) => accepts(gv.group));
  return {
    paths: () => versions().map(pathOf),
    document(path) {
      const gv = versions().find((candidate) => pathOf(candidate) === path);
      if (gv === undefined) return undefined;
      const schemas = describedComponents(recordedComponents(gv.group, gv.version));
      return openApiDocument({ ...gv, schemas, custom: false });
    },
    // The rest was recorded once and for all.
    hash: (path) =>
      versions().some((gv) => pathOf(gv) === path) ? `${openApiRelease}-${descriptionsHash()}` : undefined,
  };
}
