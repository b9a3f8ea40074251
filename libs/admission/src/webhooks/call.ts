import { badRequest, internalError, type Status, StatusError } from '@annex/machinery';
import { type AdmissionAttributes, pause, type VersionedObjects } from '@annex/server';
import type { WebhookClients } from './clients.ts';
import type { Invocation } from './invocation.ts';
import { BundleError } from './webhook-client.ts';
import { acceptedAnnotations, acceptedWarnings } from './response-limits.ts';
import { readResponse, type ReviewResponse, reviewOf } from './review.ts';

/** A webhook failed or sent an invalid response: its failurePolicy decides. */
export class CallError extends Error {
  constructor(webhook: string, cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause);
    super(`failed calling webhook ${JSON.stringify(webhook)}: ${why}`, { cause });
  }
}

/**
 * Calls a webhook. Throws {@link CallError}, and StatusError if it denies the request or does not support a
 * dry run.
 */
export async function callWebhook(
  clients: WebhookClients,
  { webhook, kind }: Invocation,
  attributes: AdmissionAttributes,
  objects: VersionedObjects,
  mutating: boolean,
): Promise<ReviewResponse> {
  const { name, sideEffects, timeoutSeconds = 10, clientConfig, admissionReviewVersions } = webhook.spec;
  if (attributes.dryRun && sideEffects !== 'None' && sideEffects !== 'NoneOnDryRun') {
    throw badRequest(`admission webhook ${JSON.stringify(name)} does not support dry run`);
  }
  let response: ReviewResponse;
  try {
    // A large object was converted, patched or compared before: its review is encoded in a turn of its own.
    const paused = pause();
    if (paused !== undefined) await paused;
    const review = await reviewOf(attributes, kind, objects, admissionReviewVersions ?? []);
    const text = await clients
      .of(clientConfig)
      .post(review.body, timeoutSeconds * 1000)
      .catch((error: Error) => {
        const failed = error instanceof BundleError ? 'could not get REST client' : 'failed to call webhook';
        throw new Error(`${failed}: ${error.message}`, { cause: error });
      });
    response = await readResponse(text, review, mutating);
  } catch (error) {
    throw new CallError(name, error);
  }
  for (const [key, value] of acceptedAnnotations(name, response.auditAnnotations)) {
    attributes.request.audit?.annotate(key, value);
  }
  attributes.request.warnings.push(...acceptedWarnings(response.warnings));
  if (!response.allowed) throw refusal(name, response.status);
  return response;
}

/** Creates the error for a denial: the webhook's status, with the name of the webhook in the message. */
function refusal(name: string, provided: Partial<Status> = {}): StatusError {
  const deniedBy = `admission webhook ${JSON.stringify(name)} denied the request`;
  const why = provided.message || provided.reason;
  const { reason, details, metadata = {} } = provided;
  const status: Status = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata,
    status: 'Failure',
    message: why ? `${deniedBy}: ${why}` : `${deniedBy} without explanation`,
    ...(reason ? { reason } : {}),
    ...(details ? { details } : {}),
    code: provided.code !== undefined && provided.code >= 400 ? provided.code : 400,
  };
  const seconds = details?.retryAfterSeconds ?? 0;
  return new StatusError(status, seconds > 0 ? { 'Retry-After': String(seconds) } : {});
}

/** Returns the error for a failed call; nothing if the failurePolicy is Ignore. */
export function failureOf({ webhook }: Invocation, error: unknown): unknown {
  if (!(error instanceof CallError)) return error;
  return webhook.spec.failurePolicy === 'Ignore' ? undefined : internalError(error.message);
}
