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
} from '@annex/machinery';
import { sortedJson } from '@annex/schema';
import { patchTypes } from '@annex/kinds';
import type { WriteContext } from './context.ts';
import { jsonPatchedText, mergedText } from './patched-text.ts';

/** Refuses duplicate and unknown fields of a whole object, or warns of them, as `fieldValidation` says. */
export function refuseStrict(write: WriteContext, { apiVersion = '', kind = '' }: KubeObject): void {
  if (write.strict.length === 0 || write.query.fieldValidation === 'Ignore') return;
  if (write.query.fieldValidation === 'Strict') {
    const { version } = parseGroupVersion(apiVersion);
    throw badRequest(
      `${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: strict decoding error: ${strictText(write.strict)}`,
    );
  }
  write.request.warnings.push(...write.strict);
}

/** The same for what a patch produced; kube answers 422 here and quotes the patched object. */
export function refuseStrictPatch(write: WriteContext, patched: () => JsonValue): void {
  if (write.strict.length === 0 || write.query.fieldValidation === 'Ignore') return;
  if (write.query.fieldValidation === 'Strict') {
    throw unfitPatch(write, `strict decoding error: ${strictText(write.strict)}`, patched());
  }
  write.request.warnings.push(...write.strict);
}

/** The same for an applied configuration, where only keys that stand twice are left to complain about. */
export function refuseStrictApplied(write: WriteContext): void {
  if (write.strict.length === 0 || write.query.fieldValidation === 'Ignore') return;
  if (write.query.fieldValidation === 'Strict') {
    throw badRequest(
      `error strict decoding YAML: error converting YAML to JSON: ${yamlDuplicatesText(write.strict)}`,
    );
  }
  write.request.warnings.push(...write.strict);
}

/** 422 on the field `patch`: what the patch makes of the object cannot be decoded. */
export function unfitPatch(write: WriteContext, why: string, patched: JsonValue): StatusError {
  return invalid({ group: '', kind: '' }, '', [
    fieldErrors.invalid('patch', patchedText(write, patched), why),
  ]);
}

/** What a patch made of an object, as kube writes it before it decodes it. */
export function patchedText(write: WriteContext, patched: JsonValue): string {
  const { mediaType, sent } = write;
  if (mediaType === patchTypes.strategic) return goPrint(sent);
  return mediaType === patchTypes.json
    ? jsonPatchedText(asPrinted(write, patched), sent)
    : mergedText(write.kind.behavior.sorted ? sortedJson(patched) : asPrinted(write, patched), sent);
}

/** Built-in kinds are patched as Go prints them, custom resources as they are. */
function asPrinted(write: WriteContext, patched: JsonValue): JsonValue {
  const { schema } = write.endpoint;
  return isObject(patched) ? (schema.printed?.(patched) ?? patched) : patched;
}

/** The complaints as one text; those about YAML keys stand together, as the YAML parser reports them. */
function strictText(strict: readonly string[]): string {
  const isYaml = (text: string) => /^line \d+: key /.test(text);
  const yaml = strict.filter(isYaml);
  const others = strict.filter((text) => !isYaml(text));
  return [...(yaml.length > 0 ? [yamlDuplicatesText(yaml)] : []), ...others].join(', ');
}
