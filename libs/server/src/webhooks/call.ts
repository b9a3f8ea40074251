import { badRequest, internalError, type Status, StatusError, validateQualifiedName } from '@annex/machinery';
import type { AdmissionRequest } from '../admission/plugin.ts';
import type { VersionedObjects } from '../admission/versioned.ts';
import type { WebhookClients } from './clients.ts';
import type { Invocation } from './invocation.ts';
import { BundleError } from './webhook-client.ts';
import { readAnswer, type ReviewAnswer, reviewOf } from './review.ts';

/** A webhook could not be asked, or its answer not be understood: its failurePolicy decides. */
export class CallError extends Error {
  constructor(webhook: string, cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause);
    super(`failed calling webhook ${JSON.stringify(webhook)}: ${why}`, { cause });
  }
}

/** Warnings that are taken from one response; the headers of the response hold 4096 characters of them at most. */
export const maxWebhookWarnings = 100;

/** Audit annotations that are taken from one response; kube-apiserver takes all, and writes events of any size. */
export const maxWebhookAnnotations = 1000;

/** Characters of the audit annotations that are taken from one response: as many as an object's annotations may have. */
export const maxWebhookAnnotationsLength = 256 * 1024;

/** Asks a webhook. Throws {@link CallError}, and StatusError where it refuses or may not be asked in a dry run. */
export async function callWebhook(
  clients: WebhookClients,
  { webhook, kind }: Invocation,
  request: AdmissionRequest,
  objects: VersionedObjects,
  mutating: boolean,
): Promise<ReviewAnswer> {
  const { name, sideEffects, timeoutSeconds = 10, clientConfig, admissionReviewVersions } = webhook.spec;
  if (request.dryRun && sideEffects !== 'None' && sideEffects !== 'NoneOnDryRun') {
    throw badRequest(`admission webhook ${JSON.stringify(name)} does not support dry run`);
  }
  let answer: ReviewAnswer;
  try {
    const review = reviewOf(request, kind, objects, admissionReviewVersions ?? []);
    const text = await clients
      .of(clientConfig)
      .post(review.body, timeoutSeconds * 1000)
      .catch((error: Error) => {
        const failed = error instanceof BundleError ? 'could not get REST client' : 'failed to call webhook';
        throw new Error(`${failed}: ${error.message}`, { cause: error });
      });
    answer = await readAnswer(text, review, mutating);
  } catch (error) {
    throw new CallError(name, error);
  }
  annotate(request, name, answer.auditAnnotations);
  for (const warning of answer.warnings.slice(0, maxWebhookWarnings)) request.request.warnings.push(warning);
  if (!answer.allowed) throw refusal(name, answer.status);
  return answer;
}

/** Adds the annotations of a webhook to the audit event, as far as there is room for them. */
function annotate(
  { request: { audit } }: AdmissionRequest,
  webhook: string,
  annotations: ReviewAnswer['auditAnnotations'],
): void {
  if (audit === undefined) return;
  let length = 0;
  for (const [key, value] of Object.entries(annotations).slice(0, maxWebhookAnnotations)) {
    const annotation = `${webhook}/${key}`;
    length += annotation.length + value.length;
    if (length > maxWebhookAnnotationsLength) break;
    // kube leaves out what cannot be the key of an annotation.
    if (validateQualifiedName(annotation).length === 0) audit.annotate(annotation, value);
  }
}

/** What the client is told of a refusal: the webhook's own status, with the name of the webhook in its message. */
function refusal(name: string, given: Partial<Status> = {}): StatusError {
  const deniedBy = `admission webhook ${JSON.stringify(name)} denied the request`;
  const why = given.message || given.reason;
  const { reason, details, metadata = {} } = given;
  const status: Status = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata,
    status: 'Failure',
    message: why ? `${deniedBy}: ${why}` : `${deniedBy} without explanation`,
    ...(reason ? { reason } : {}),
    ...(details ? { details } : {}),
    code: given.code !== undefined && given.code >= 400 ? given.code : 400,
  };
  const seconds = details?.retryAfterSeconds ?? 0;
  return new StatusError(status, seconds > 0 ? { 'Retry-After': String(seconds) } : {});
}

/** What a failure means for the request: an error, or nothing where the webhook may fail. */
export function failureOf({ webhook }: Invocation, error: unknown): unknown {
  if (!(error instanceof CallError)) return error;
  return webhook.spec.failurePolicy === 'Ignore' ? undefined : internalError(error.message);
}
