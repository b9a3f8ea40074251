import { isObject, type JsonObject } from '@annex/machinery';
import { schemaToV2 } from './v2-schema.ts';
import type { SharedParameters } from './v2-parameters.ts';

/** Converts a path of OpenAPI v3 to v2 and moves common parameters to the document. */
export function pathToV2(item: JsonObject, shared: SharedParameters): JsonObject {
  return Object.fromEntries(
    Object.entries(item).map(([key, value]) => {
      if (key === 'parameters') return [key, parametersToV2(value as JsonObject[], shared)];
      return [key, isObject(value) ? operationToV2(value, key, shared) : value];
    }),
  );
}

const parametersToV2 = (parameters: readonly JsonObject[], shared: SharedParameters): JsonObject[] =>
  parameters.map((parameter) => shared.convert(parameter));

function operationToV2(operation: JsonObject, method: string, shared: SharedParameters): JsonObject {
  const { parameters = [], requestBody, responses, ...rest } = operation;
  const body = isObject(requestBody) ? requestBody : undefined;
  const content = isObject(body?.content) ? body.content : undefined;
  const written = isObject(responses) ? responses : {};
  const produces = mediaTypes(written);
  const all = [
    ...(body && content ? [shared.refer(bodyParameter(body, content))] : []),
    ...parametersToV2(parameters as JsonObject[], shared),
  ];
  return {
    ...rest,
    consumes: method === 'patch' && content ? patchTypes(content) : consumedTypes(operation, produces),
    produces,
    schemes: ['https'],
    ...(all.length > 0 ? { parameters: all } : {}),
    responses: Object.fromEntries(
      Object.entries(written).map(([code, response]) => [code, responseToV2(response as JsonObject)]),
    ),
  };
}

/** kube-apiserver's order of the patch types. */
const patchOrder = ['json-patch+json', 'merge-patch+json', 'strategic-merge-patch+json', 'apply-patch+yaml'];
const patchTypes = (content: JsonObject): string[] =>
  Object.keys(content).sort((a, b) => patchPlace(a) - patchPlace(b));
const patchPlace = (type: string): number => patchOrder.indexOf(type.replace('application/', ''));

const protobuf = 'application/vnd.kubernetes.protobuf';

/** Kinds with a protobuf form consume every media type; other kinds consume those that they produce. */
function consumedTypes(operation: JsonObject, produces: readonly string[]): string[] {
  const isResource = operation['x-kubernetes-action'] !== undefined;
  return isResource && (produces.includes(protobuf) || produces.includes('*/*')) ? ['*/*'] : [...produces];
}

/** Media types of streams come last, as in kube-apiserver. */
function mediaTypes(responses: JsonObject): string[] {
  const types: string[] = [];
  const streams: string[] = [];
  for (const response of Object.values(responses)) {
    const { content } = response as JsonObject;
    if (!isObject(content)) continue;
    for (const type of Object.keys(content)) {
      const list = type.includes(';stream=') ? streams : types;
      if (!list.includes(type)) list.push(type);
    }
  }
  return streams.length > 0 ? [...types, ...streams] : types;
}

const schemaOf = (content: JsonObject): JsonObject | undefined => {
  const first = Object.values(content)[0];
  return isObject(first) && isObject(first.schema) ? schemaToV2(first.schema) : undefined;
};

function bodyParameter(body: JsonObject, content: JsonObject): JsonObject {
  const schema = schemaOf(content);
  return {
    name: 'body',
    in: 'body',
    ...(body.required === true ? { required: true } : {}),
    ...(schema ? { schema } : {}),
  };
}

function responseToV2({ content, ...rest }: JsonObject): JsonObject {
  const schema = isObject(content) ? schemaOf(content) : undefined;
  return schema ? { ...rest, schema } : rest;
}
