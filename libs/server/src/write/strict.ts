import {
  badRequest,
  fieldErrors,
  goPrint,
  invalid,
  isObject,
  type JsonValue,
  type KubeObject,
  parseGroupVersion,
  yamlDuplicatesText,
  type StatusError,
  pushAll,
} from '@annex/machinery';
import { patchAfterMerge, sortedJson } from '@annex/schema';
import { asJson, patchTypes } from '@annex/kinds';
import type { WriteContext } from './context.ts';
import { jsonPatchedText, mergedText } from './patched-text.ts';

/** Refuses duplicate and unknown fields of a whole object, or warns of them, by `fieldValidation`. */
export function refuseStrict(write: WriteContext, { apiVersion = '', kind = '' }: KubeObject): void {
  if (write.strict.length === 0 || write.query.fieldValidation === 'Ignore') return;
  if (write.query.fieldValidation === 'Strict') {
    const { version } = parseGroupVersion(apiVersion);
    throw badRequest(
      `${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: strict decoding error: ${strictText(write.strict)}`,
    );
  }
  pushAll(write.request.warnings, write.strict);
}

/** The same for a patched object; kube-apiserver responds with 422 and quotes the object. */
export function refuseStrictPatch(write: WriteContext, patched: () => JsonValue): void {
  if (write.strict.length === 0 || write.query.fieldValidation === 'Ignore') return;
  if (write.query.fieldValidation === 'Strict') {
    throw invalidPatch(write, `strict decoding error: ${strictText(write.strict)}`, patched());
  }
  pushAll(write.request.warnings, write.strict);
}

/** The same for an applied configuration, where only duplicate keys can occur. */
export function refuseStrictApplied(write: WriteContext): void {
  if (write.strict.length === 0 || write.query.fieldValidation === 'Ignore') return;
  if (write.query.fieldValidation === 'Strict') {
    throw badRequest(
      `error strict decoding YAML: error converting YAML to JSON: ${yamlDuplicatesText(write.strict)}`,
    );
  }
  pushAll(write.request.warnings, write.strict);
}

/** Returns the 422 for the field `patch`: the patched object cannot be decoded. */
export function invalidPatch(write: WriteContext, why: string, patched: JsonValue): StatusError {
  return invalid({ group: '', kind: '' }, '', [
    fieldErrors.invalid('patch', patchedText(write, patched), why),
  ]);
}

/**
 * Returns the text of a patched object, as kube-apiserver encodes it before it decodes it; for a strategic merge patch, what is left of the
 * patch.
 */
export function patchedText(write: WriteContext, patched: JsonValue): string {
  const { mediaType, sent, live } = write;
  if (mediaType === patchTypes.strategic)
    return goPrint(live && patchAfterMerge(asJson(live), sent, write.endpoint.schema.root));
  return mediaType === patchTypes.json
    ? jsonPatchedText(asPrinted(write, patched), sent)
    : mergedText(write.kind.behavior.sorted ? sortedJson(patched) : asPrinted(write, patched), sent);
}

/** Built-in kinds are patched in the form that Go encodes, custom resources unchanged. */
function asPrinted(write: WriteContext, patched: JsonValue): JsonValue {
  const { schema } = write.endpoint;
  return isObject(patched) ? (schema.printed?.(patched) ?? patched) : patched;
}

/** Joins the errors; those of YAML keys are grouped, as the YAML parser reports them. */
function strictText(strict: readonly string[]): string {
  const isYaml = (text: string) => /^line \d+: key /.test(text);
  const yaml = strict.filter(isYaml);
  const others = strict.filter((text) => !isYaml(text));
  return [...(yaml.length > 0 ? [yamlDuplicatesText(yaml)] : []), ...others].join(', ');
}
