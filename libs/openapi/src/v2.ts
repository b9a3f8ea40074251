import { isObject, type JsonObject } from '@annex/machinery';
import { openApiRelease } from './document.ts';
import { SharedParameters } from './v2-parameters.ts';
import { pathToV2 } from './v2-paths.ts';
import { definitionToV2 } from './v2-schema.ts';

/** The sections of the merged document. */
export const v2Sections = ['paths', 'definitions', 'parameters'] as const;
export type V2Section = (typeof v2Sections)[number];

export type BySection<T> = Readonly<Record<V2Section, T>>;

/** One path, definition or parameter. */
export type V2Member = [section: V2Section, name: string, value: JsonObject];

/** Converts the document of one version and yields the members for the merged document. */
export function* membersOfV2(document: JsonObject): Generator<V2Member> {
  const { schemas } = isObject(document.components) ? document.components : {};
  const shared = new SharedParameters();
  for (const [name, item] of Object.entries((document.paths ?? {}) as JsonObject))
    yield ['paths', name, pathToV2(item as JsonObject, shared)];
  for (const [name, schema] of Object.entries((schemas ?? {}) as JsonObject))
    yield ['definitions', name, definitionToV2(schema as JsonObject)];
  for (const [name, parameter] of shared.byName) yield ['parameters', name, parameter];
}

/** The merged document without its sections. */
export const v2Frame: JsonObject = {
  swagger: '2.0',
  info: { title: 'Kubernetes', version: openApiRelease },
  securityDefinitions: {
    BearerToken: {
      description: 'Bearer Token authentication',
      type: 'apiKey',
      name: 'authorization',
      in: 'header',
    },
  },
  security: [{ BearerToken: [] }],
};
