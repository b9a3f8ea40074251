import { getOwn, isObject, type JsonObject, type JsonValue, type Passes, setOwn } from '@annex/machinery';
import { forEachReference } from '@annex/kinds';
import { isSwagger } from './swagger-shape.ts';

/** Parts of a document by name. */
export type Parts = Readonly<Record<string, JsonObject>>;

/** An OpenAPI document of version 2 from another server, with the members that are used. */
export interface Swagger {
  info?: JsonObject;
  externalDocs?: JsonObject;
  paths?: Parts;
  definitions?: Parts;
  parameters?: Parts;
  responses?: Parts;
  produces?: string[];
  securityDefinitions?: Parts;
}

/** Throws if the value is not an OpenAPI document of version 2 that a Go program could read. In passes. */
export function* readSwagger(value: JsonValue): Passes<Swagger> {
  if (!(yield* isSwagger(value))) throw new Error('this is not an OpenAPI document of version 2');
  const present = Object.entries(value as JsonObject).filter(([, member]) => member !== null);
  return Object.fromEntries(present) as Swagger;
}

/**
 * Returns the document with only some of its paths. Definitions that only the removed paths used are removed;
 * definitions that no path used stay. A document without paths is unchanged. See `FilterSpecByPaths` of
 * k8s.io/kube-openapi. In passes.
 */
export function* selectPaths(document: Swagger, keeps: (path: string) => boolean): Passes<Swagger> {
  if (document.paths === undefined) return document;
  const selected: Swagger = { ...document, paths: yield* pick(document.paths, keeps) };
  const before = yield* usedDefinitions(document);
  const after = yield* usedDefinitions(selected);
  const definitions = yield* pick(document.definitions ?? {}, (name) => after.has(name) || !before.has(name));
  return { ...selected, definitions };
}

function* pick(parts: Parts, keeps: (name: string) => boolean): Passes<Parts> {
  const picked: JsonObject = {};
  for (const [name, part] of Object.entries(parts)) {
    yield;
    if (keeps(name)) setOwn(picked, name, part);
  }
  return picked as Parts;
}

export const definitionPrefix = '#/definitions/';
export const parameterPrefix = '#/parameters/';

/** Returns the names of the definitions that the paths refer to, directly or indirectly. */
function* usedDefinitions({
  paths = {},
  definitions = {},
  parameters = {},
}: Swagger): Passes<ReadonlySet<string>> {
  const used = new Set<string>();
  const seen = new Set<string>();
  const note = (reference: string): void => void seen.add(reference);
  for (const item of Object.values(paths)) {
    yield;
    forEachReference(item, note);
  }
  // The loop also visits what is noted meanwhile.
  for (const reference of seen) {
    yield;
    const [parts, name] = reference.startsWith(definitionPrefix)
      ? [definitions, reference.slice(definitionPrefix.length)]
      : [parameters, reference.slice(parameterPrefix.length)];
    if (parts === definitions) used.add(name);
    const part = getOwn(parts, name);
    if (isObject(part)) forEachReference(part, note);
  }
  return used;
}
