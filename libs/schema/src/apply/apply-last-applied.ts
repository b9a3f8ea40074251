import {
  isObject,
  type JsonObject,
  type JsonValue,
  type KubeObject,
  parseJson,
  setOwn,
  stringifyJson,
} from '@annex/machinery';
import type { TrackingOptions } from './apply-object.ts';
import { metaText } from './apply-object.ts';
import type { TypedObject } from './apply-ownership.ts';
import type { FieldSet } from '../managed-fields/field-set.ts';
import { escapeHtml } from '../managed-fields/field-set-element.ts';
import { compareTyped } from '../typed-values/typed-compare.ts';
import { toFieldSet } from '../typed-values/typed-field-set.ts';
import { TypedError } from '../typed-values/typed-value.ts';
import { validateTyped } from '../typed-values/typed-validate.ts';

/** The annotation with the last configuration of kubectl's client-side apply. */
export const lastAppliedAnnotation = 'kubectl.kubernetes.io/last-applied-configuration';

/** The maximum total size of an object's annotations, in bytes. */
export const maxLastAppliedBytes = 256 * 1024;

/**
 * Returns the fields that client-side apply wrote and that have not changed since. A server-side apply by kubectl takes
 * ownership of them without a conflict. Returns undefined if the object has no such annotation.
 */
export function allowedConflicts(live: TypedObject, { apiVersion }: TrackingOptions): FieldSet | undefined {
  const last = readLastApplied(live.object);
  if (last === undefined || last['apiVersion'] !== apiVersion) return undefined;
  try {
    for (const object of [live.object, last]) validateTyped(object, live.type, { allowDuplicates: false });
  } catch (error) {
    if (error instanceof TypedError) return undefined;
    throw error;
  }
  const { removed, modified, added } = compareTyped(last, live.object, live.type);
  return toFieldSet(last, live.type).difference(modified).difference(added).difference(removed);
}

function readLastApplied(object: JsonObject): JsonObject | undefined {
  const metadata = object['metadata'];
  const annotations = isObject(metadata) ? metadata['annotations'] : undefined;
  const text = isObject(annotations) ? annotations[lastAppliedAnnotation] : undefined;
  if (typeof text !== 'string' || text === '') return undefined;
  try {
    const last = parseJson(text);
    return isObject(last) && metaText(last, 'name') !== '' ? last : undefined;
  } catch {
    return undefined;
  }
}

/** Updates the annotation for clients that still use client-side apply, if it exists. Changes the object. */
export function setLastApplied(object: KubeObject, applied: JsonObject): void {
  const annotations = object.metadata.annotations;
  if (!annotations?.[lastAppliedAnnotation]) return;
  annotations[lastAppliedAnnotation] = lastAppliedText(applied);
  if (sizeOf(annotations) > maxLastAppliedBytes) delete annotations[lastAppliedAnnotation];
}

function lastAppliedText(applied: JsonObject): string {
  const { annotations, ...others } = isObject(applied['metadata']) ? applied['metadata'] : {};
  const metadata: JsonObject = others;
  if (isObject(annotations)) {
    const { [lastAppliedAnnotation]: _, ...kept } = annotations;
    metadata['annotations'] = kept;
  }
  return `${escapeHtml(stringifyJson(sorted({ ...applied, metadata })))}\n`;
}

function sorted(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const result: JsonObject = {};
  for (const key of Object.keys(value).sort()) setOwn(result, key, sorted(value[key] as JsonValue));
  return result;
}

const utf8 = new TextEncoder();
const sizeOf = (annotations: Record<string, string>): number =>
  Object.entries(annotations).reduce(
    (size, [key, value]) => size + utf8.encode(key).length + utf8.encode(value).length,
    0,
  );
