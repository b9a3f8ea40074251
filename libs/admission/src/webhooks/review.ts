import { randomUUID } from 'node:crypto';
import { isObject, type JsonObject, type Status } from '@annex/machinery';
import { type AdmissionAttributes, stringifyInSlices, type VersionedObjects } from '@annex/server';
import { requestJson } from '../request-json.ts';
import type { ResourceKind } from '@annex/kinds';
import { printedType, readReviewResponse } from './review-response.ts';
import { readStatus, reviewTypes, type ReviewVersion } from './review-types.ts';

const group = 'admission.k8s.io';

/** The review to send. */
export interface Review {
  uid: string;
  version: ReviewVersion;
  body: string;
}

/** The decoded response of a webhook. */
export interface ReviewResponse {
  allowed: boolean;
  status?: Partial<Status>;
  /** A JSON patch; absent without changes. */
  patch?: string;
  /** The type of the patch in the response; absent if none is expected. */
  patchType?: string;
  warnings: string[];
  /** Audit annotations, without the name of the webhook. */
  auditAnnotations: Readonly<Record<string, string>>;
}

/**
 * Creates an AdmissionReview in the first version that both sides support. Throws if there is none. Source:
 * AdmissionRequest of `admission.k8s.io/v1`.
 */
export async function reviewOf(
  attributes: AdmissionAttributes,
  kind: ResourceKind,
  { object, oldObject }: VersionedObjects,
  versions: readonly string[],
): Promise<Review> {
  const version = versions.find(
    (candidate): candidate is ReviewVersion => candidate === 'v1' || candidate === 'v1beta1',
  );
  if (version === undefined) {
    throw new Error(
      'could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)',
    );
  }
  const uid = randomUUID();
  const body = await stringifyInSlices({
    kind: 'AdmissionReview',
    apiVersion: `${group}/${version}`,
    request: { uid, ...requestJson(attributes, kind), object: object ?? null, oldObject: oldObject ?? null },
  });
  return { uid, version, body };
}

/** Decodes the response to a review. Throws kube-apiserver's message if it is invalid. */
export async function readResponse(text: string, review: Review, mutating: boolean): Promise<ReviewResponse> {
  const reply = await readReviewResponse(text, reviewTypes[review.version]).catch((error: Error) => {
    throw new Error(`failed to call webhook: ${error.message}`, { cause: error });
  });
  const { response } = reply;
  const invalid = (why: string) => new Error(`received invalid webhook response: ${why}`);
  if (!isObject(response)) throw invalid('webhook response was absent');
  const isFirst = review.version === 'v1';
  const patch = typeof response.patch === 'string' ? response.patch : '';
  const patchType = response.patchType ?? undefined;
  if (isFirst) {
    const why = invalidEnvelope(reply, response, review.uid) ?? misplacedPatch(patch, patchType, mutating);
    if (why !== undefined) throw invalid(why);
  }
  return {
    allowed: response.allowed === true,
    ...(isObject(response.status) ? { status: readStatus(response.status) } : {}),
    ...(mutating && patch !== '' ? { patch: Buffer.from(patch, 'base64').toString() } : {}),
    ...(isFirst && patchType !== undefined ? { patchType: String(patchType) } : {}),
    warnings: (response.warnings ?? []) as string[],
    auditAnnotations: (response.auditAnnotations ?? {}) as Record<string, string>,
  };
}

const expectedType = `${group}/v1, Kind=AdmissionReview`;

function invalidEnvelope(reply: JsonObject, response: JsonObject, uid: string): string | undefined {
  const provided = response.uid ?? '';
  if (provided !== uid)
    return `expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(provided)}`;
  const type = printedType(reply);
  return type === expectedType ? undefined : `expected webhook response of ${expectedType}, got ${type}`;
}

function misplacedPatch(patch: string, patchType: unknown, mutating: boolean): string | undefined {
  if (!mutating) {
    if (patch !== '') return 'validating webhook may not return response.patch';
    return patchType === undefined ? undefined : 'validating webhook may not return response.patchType';
  }
  if (patch !== '' && patchType === undefined) {
    return 'webhook returned response.patch but not response.patchType';
  }
  if (patch === '' && patchType !== undefined) {
    return 'webhook returned response.patchType but not response.patch';
  }
  return patchType === '' ? 'webhook returned invalid response.patchType of ""' : undefined;
}
