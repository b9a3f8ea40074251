import type { Buffer } from 'node:buffer';
import {
  type JsonValue,
  badRequest,
  failure,
  exceedsDepth,
  findDuplicateFields,
  isObject,
  jsonPatchUnknownFields,
  parseJson,
} from '@annex/machinery';
import { unknownFormat } from './body.ts';
import type { ResourceKind } from '../resource-kind.ts';
import { readYaml } from './yaml-thread.ts';

/** The forms of a patch, by media type. */
export const patchTypes = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;

/** The media types of patches that a kind takes, in the order kube lists them. */
export const acceptedPatches = (kind: Pick<ResourceKind, 'custom'>): string[] =>
  kind.custom
    ? [patchTypes.json, patchTypes.merge, patchTypes.apply]
    : [patchTypes.json, patchTypes.merge, patchTypes.strategic, patchTypes.apply];

/** Throws 415 for a form that the kind does not take; custom resources and built-in kinds say so each in its own words. */
export function requirePatchType(type: string, kind: Pick<ResourceKind, 'custom'>): void {
  const accepted = acceptedPatches(kind);
  if (accepted.includes(type)) return;
  throw kind.custom
    ? unknownFormat(accepted)
    : failure('UnsupportedMediaType', '415: Unsupported Media Type', {});
}

/** A patch, and what strict decoding complains about in it. */
export interface DecodedPatch {
  patch: JsonValue;
  strict: string[];
}

/** Parses an applied configuration. Throws 400 for what does not parse. */
export async function decodeApplied(body: Buffer): Promise<DecodedPatch> {
  try {
    const { value, duplicates } = await parseApply(body.toString());
    return { patch: value, strict: duplicates };
  } catch (error) {
    throw badRequest(`error decoding YAML: ${messageOf(error)}`);
  }
}

/** Parses a patch of any other form. Throws 400 for what does not parse. */
export function decodePatch(body: Buffer, type: string): DecodedPatch {
  try {
    const { value, duplicates } = parsePatch(body.toString());
    return { patch: value, strict: duplicates };
  } catch (error) {
    const prefix = type === patchTypes.strategic ? '' : 'error decoding patch: ';
    throw badRequest(prefix + messageOf(error));
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** An applied configuration is a map; nothing at all is an empty one. */
async function parseApply(text: string): Promise<{ value: JsonValue; duplicates: string[] }> {
  const { value, duplicates } = await readYaml(text).catch((error: unknown) => {
    throw new Error(`error converting YAML to JSON: ${messageOf(error)}`);
  });
  if (value === null) return { value: {}, duplicates };
  if (isObject(value)) return { value, duplicates };
  const type = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  throw new Error(
    `error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${type} into Go value of type map[string]interface {}`,
  );
}

function parsePatch(text: string): { value: JsonValue; duplicates: string[] } {
  if (exceedsDepth(text)) throw new SyntaxError('exceeded max depth');
  const value = parseJson(text);
  const duplicates = findDuplicateFields(text, value);
  if (!Array.isArray(value)) return { value, duplicates };
  return {
    value,
    duplicates: [...duplicates.map((text) => `json patch ${text}`), ...jsonPatchUnknownFields(value)],
  };
}
