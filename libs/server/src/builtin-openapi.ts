import type { JsonObject } from '@annex/machinery';
import { recordedComponents, recordedGroupVersions } from './builtin-data.ts';
import { openApiDocument } from './openapi-document.ts';
import type { OpenApiDocuments } from './registry-discovery.ts';

const pathOf = (gv: { group: string; version: string }): string =>
  gv.group === '' ? `api/${gv.version}` : `apis/${gv.group}/${gv.version}`;

/** The OpenAPI documents of the built-in groups that the predicate accepts. Each is made at its first use and kept. */
export function builtinDocuments(accepts: (group: string) => boolean): OpenApiDocuments {
  const made = new Map<string, JsonObject>();
  const versions = () => recordedGroupVersions().filter((gv) => accepts(gv.group));
  return {
    paths: () => versions().map(pathOf),
    document(path) {
      const known = made.get(path);
      if (known !== undefined) return known;
      const gv = versions().find((candidate) => pathOf(candidate) === path);
      if (gv === undefined) return undefined;
      const schemas = recordedComponents(gv.group, gv.version);
      const document = openApiDocument({ ...gv, schemas, custom: false });
      made.set(path, document);
      return document;
    },
  };
}
