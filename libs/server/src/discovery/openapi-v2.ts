import { isObject, type JsonObject, type JsonValue } from '@annex/machinery';
import { openApiRelease } from '../builtin/openapi-document.ts';
import { SharedParameters } from './openapi-v2-parameters.ts';
import { pathToV2 } from './openapi-v2-paths.ts';
import { definitionToV2 } from './openapi-v2-schema.ts';

/** The parts of one document that go into the merged one, by their names. */
export interface V2Parts {
  paths: JsonObject;
  definitions: JsonObject;
  parameters: JsonObject;
}

/** Converts the document of one version. */
export function partsOfV2(document: JsonObject): V2Parts {
  const convert = (members: JsonValue | undefined, each: (value: JsonObject) => JsonObject): JsonObject =>
    Object.fromEntries(
      Object.entries((members ?? {}) as JsonObject).map(([name, value]) => [name, each(value as JsonObject)]),
    );
  const components = isObject(document.components) ? document.components : {};
  const shared = new SharedParameters();
  return {
    paths: convert(document.paths, (item) => pathToV2(item, shared)),
    definitions: convert(components.schemas, definitionToV2),
    parameters: Object.fromEntries(shared.byName),
  };
}

/** What the merged document says beside its parts. */
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
