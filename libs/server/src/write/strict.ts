import {
  badRequest,
  fieldErrors,
  type FirstParts,
  firstParts,
  goPrint,
  invalid,
  isObject,
  type JsonValue,
  type KubeObject,
  parseGroupVersion,
  type Passes,
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
export function* refuseStrictPatch(write: WriteContext, quoted: () => Passes<Quoted>): Passes<void> {
  if (write.strict.length === 0 || write.query.fieldValidation === 'Ignore') return;
  if (write.query.fieldValidation === 'Strict') {
    throw invalidPatch(write, `strict decoding error: ${strictText(write.strict)}`, yield* quoted());
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

/**
 * The maximum number of members and items that the error of a patch quotes. kube-apiserver quotes everything, twice: of a body of 3 MiB,
 * clients print megabytes before the reason.
 */
export const maxQuotedParts = 2000;

/** What the error of a patch quotes: the patched object, or a strategic merge patch; not more than {@link maxQuotedParts} of it. */
export type Quoted = FirstParts<JsonValue>;

/** Returns what the error of a patch quotes. */
export const quotedOf = ({ mediaType, sent }: WriteContext, patched: () => JsonValue): Passes<Quoted> =>
  firstParts(mediaType === patchTypes.strategic ? (sent as JsonValue) : patched(), maxQuotedParts);

/** Ends the text of a part of an object. */
export const quotedText = (text: string, isWhole: boolean): string =>
  isWhole ? text : `${text} and more, which is not quoted`;

/** Returns the 422 for the field `patch`: the patched object cannot be decoded. */
export function invalidPatch(write: WriteContext, why: string, { value, isWhole }: Quoted): StatusError {
  const quoted = quotedText(patchedText(write, value, isWhole), isWhole);
  return invalid({ group: '', kind: '' }, '', [fieldErrors.invalid('patch', quoted, why)]);
}

/**
 * Returns the text of a patched object, as kube-apiserver encodes it before it decodes it; for a strategic merge patch, what is left of the
 * patch.
 */
export function patchedText(write: WriteContext, quoted: JsonValue, isWhole = true): string {
  const { mediaType, sent, live } = write;
  if (mediaType === patchTypes.strategic)
    return goPrint(
      isWhole ? live && patchAfterMerge(asJson(live), quoted, write.endpoint.schema.root) : quoted,
    );
  return mediaType === patchTypes.json
    ? jsonPatchedText(asPrinted(write, quoted), sent)
    : mergedText(write.kind.behavior.sorted ? sortedJson(quoted) : asPrinted(write, quoted), sent);
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
