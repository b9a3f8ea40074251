import type { JsonObject, Status } from '@annex/machinery';
import { compileBuiltin, compileGoDecoder, type SchemaNode } from '@annex/schema';
import type { ReviewType } from './review-response.ts';

/** A version of AdmissionReview. */
export type ReviewVersion = 'v1' | 'v1beta1';

const text: SchemaNode = { type: 'string' };
const named = (goType: string): SchemaNode => ({ type: 'string', goType });
const int32: SchemaNode = { type: 'integer', format: 'int32' };
const list = (items: SchemaNode): SchemaNode => ({ items });
const struct = (goType: string, fields: Readonly<Record<string, SchemaNode>>): SchemaNode => ({
  goType,
  properties: new Map(Object.entries(fields)),
});

const cause = struct('v1.StatusCause', { reason: named('v1.CauseType'), message: text, field: text });
const details = struct('v1.StatusDetails', {
  name: text,
  group: text,
  kind: text,
  uid: named('types.UID'),
  causes: list(cause),
  retryAfterSeconds: int32,
});
const status = struct('v1.Status', {
  metadata: struct('v1.ListMeta', {
    selfLink: text,
    resourceVersion: text,
    continue: text,
    remainingItemCount: { type: 'integer' },
  }),
  status: text,
  message: text,
  reason: named('v1.StatusReason'),
  details,
  code: int32,
});

const review = (version: ReviewVersion): SchemaNode =>
  struct(`${version}.AdmissionReview`, {
    request: struct(`${version}.AdmissionRequest`, {}),
    response: struct(`${version}.AdmissionResponse`, {
      uid: named('types.UID'),
      allowed: { type: 'boolean' },
      status,
      patch: { type: 'string', format: 'byte' },
      patchType: named(`${version}.PatchType`),
      auditAnnotations: { additionalProperties: text },
      warnings: list(text),
    }),
  });

const typeOf = (version: ReviewVersion): ReviewType => ({
  group: 'admission.k8s.io',
  version,
  kind: 'AdmissionReview',
  decode: compileGoDecoder(review(version)),
});

/** AdmissionReview in both versions. Source: `admission.k8s.io/v1`. */
export const reviewTypes: Readonly<Record<ReviewVersion, ReviewType>> = {
  v1: typeOf('v1'),
  v1beta1: typeOf('v1beta1'),
};

const statusSchema = compileBuiltin(status);

/** Reads the status of a response and drops fields that Status does not have. */
export function readStatus(provided: JsonObject): Partial<Status> {
  statusSchema.prune(provided);
  return provided as Partial<Status>;
}
