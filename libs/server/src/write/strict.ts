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
export function refuseStrict(ctx: WriteContext, { apiVersion = '', kind = '' }: KubeObject): void {
  if (ctx.strict.length === 0 || ctx.query.fieldValidation === 'Ignore') return;
  if (ctx.query.fieldValidation === 'Strict') {
    const { version } = parseGroupVersion(apiVersion);
    throw badRequest(
      `${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: strict decoding error: ${strictText(ctx.strict)}`,
    );
  }
  ctx.request.warnings.push(...ctx.strict);
}

/** The same for what a patch produced; kube answers 422 here and quotes the patched object. */
export function refuseStrictPatch(ctx: WriteContext, patched: () => JsonValue): void {
  if (ctx.strict.length === 0 || ctx.query.fieldValidation === 'Ignore') return;
  if (ctx.query.fieldValidation === 'Strict') {
    throw unfitPatch(ctx, `strict decoding error: ${strictText(ctx.strict)}`, patched());
  }
  ctx.request.warnings.push(...ctx.strict);
}

/** The same for an applied configuration, where only keys that stand twice are left to complain about. */
export function refuseStrictApplied(ctx: WriteContext): void {
  if (ctx.strict.length === 0 || ctx.query.fieldValidation === 'Ignore') return;
  if (ctx.query.fieldValidation === 'Strict') {
    throw badRequest(
      `error strict decoding YAML: error converting YAML to JSON: ${yamlDuplicatesText(ctx.strict)}`,
    );
  }
  ctx.request.warnings.push(...ctx.strict);
}

/** 422 on the field `patch`: what the patch makes of the object cannot be decoded. */
export function unfitPatch(ctx: WriteContext, why: string, patched: JsonValue): StatusError {
  return invalid({ group: '', kind: '' }, '', [fieldErrors.invalid('patch', patchedText(ctx, patched), why)]);
}

/** What a patch made of an object, as kube writes it before it decodes it. */
export function patchedText(ctx: WriteContext, patched: JsonValue): string {
  const { mediaType, sent } = ctx;
  if (mediaType === patchTypes.strategic) return goPrint(sent);
  return mediaType === patchTypes.json
    ? jsonPatchedText(asPrinted(ctx, patched), sent)
    : mergedText(ctx.kind.behavior.sorted ? sortedJson(patched) : asPrinted(ctx, patched), sent);
}

/** Built-in kinds are patched as Go prints them, custom resources as they are. */
function asPrinted(ctx: WriteContext, patched: JsonValue): JsonValue {
  const { schema } = ctx.endpoint;
  return isObject(patched) ? (schema.printed?.(patched) ?? patched) : patched;
}

/** The complaints as one text; those about YAML keys stand together, as the YAML parser reports them. */
function strictText(strict: readonly string[]): string {
  const isYaml = (text: string) => /^line \d+: key /.test(text);
  const yaml = strict.filter(isYaml);
  const others = strict.filter((text) => !isYaml(text));
  return [...(yaml.length > 0 ? [yamlDuplicatesText(yaml)] : []), ...others].join(', ');
}
