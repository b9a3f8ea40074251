import type { Buffer } from 'node:buffer';
import {
  type JsonValue,
  badRequest,
  failure,
  findDuplicateFields,
  findDuplicateFieldsInPasses,
  isObject,
  jsonPatchUnknownFields,
  parseJson,
  parseJsonInPasses,
  type Passes,
  StatusError,
} from '@annex/machinery';
import { unknownFormat } from './media-type.ts';
import { requireTextLimitsInPasses, slicedBodyBytes } from './body-limits.ts';
import { patchTypes, type ResourceKind } from '@annex/kinds';
import { readYaml } from './yaml-thread.ts';

/**
 * Throws 415 for a patch type that the kind does not support, with the message of the component of
 * kube-apiserver that refuses it.
 */
export function requirePatchType(type: string, { behavior }: Pick<ResourceKind, 'behavior'>): void {
  if (behavior.patchTypes.includes(type)) return;
  throw behavior.router === 'restful'
    ? failure('UnsupportedMediaType', '415: Unsupported Media Type', {})
    : unknownFormat(behavior.patchTypes);
}

/** A patch, and the errors of strict decoding. */
export interface DecodedPatch {
  patch: JsonValue;
  strict: string[];
}

/** Parses an applied configuration. Throws 400 for a syntax error. */
export async function decodeApplied(body: Buffer): Promise<DecodedPatch> {
  const { value, duplicates } = await parseApply(body.toString()).catch((error: unknown) => {
    throw error instanceof StatusError ? error : badRequest(`error decoding YAML: ${messageOf(error)}`);
  });
  return { patch: value, strict: duplicates };
}

/** Parses a patch of any other type, in passes if it is large. Throws 400 for a syntax error. */
export function* decodePatch(body: Buffer, type: string): Passes<DecodedPatch> {
  const { value, duplicates } = yield* parsePatch(body, type);
  return { patch: value, strict: duplicates };
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** An applied configuration is a map; an empty text is an empty map. */
async function parseApply(text: string): Promise<{ value: JsonValue; duplicates: string[] }> {
  const { value, duplicates } = await readYaml(text).catch((error: unknown) => {
    if (error instanceof StatusError) throw error;
    throw new Error(`error converting YAML to JSON: ${messageOf(error)}`);
  });
  if (value === null) return { value: {}, duplicates };
  if (isObject(value)) return { value, duplicates };
  const type = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  throw new Error(
    `error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${type} into Go value of type map[string]interface {}`,
  );
}

function* parsePatch(body: Buffer, type: string): Passes<{ value: JsonValue; duplicates: string[] }> {
  const text = body.toString();
  try {
    yield* requireTextLimitsInPasses(text);
    yield;
    const isLarge = body.length >= slicedBodyBytes;
    const value = isLarge ? yield* parseJsonInPasses(text) : parseJson(text);
    yield;
    const duplicates = isLarge
      ? yield* findDuplicateFieldsInPasses(text, value)
      : findDuplicateFields(text, value);
    if (!Array.isArray(value)) return { value, duplicates };
    return {
      value,
      duplicates: [...duplicates.map((text) => `json patch ${text}`), ...jsonPatchUnknownFields(value)],
    };
  } catch (error) {
    if (error instanceof StatusError) throw error;
    const prefix = type === patchTypes.strategic ? '' : 'error decoding patch: ';
    throw badRequest(prefix + messageOf(error));
  }
}
