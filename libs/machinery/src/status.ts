import { goQuote } from './go/quote.ts';
import { type FieldError, reportFieldErrors } from './field.ts';
import { type GroupResource, qualifiedKind, qualifiedResource } from './meta.ts';

/** Every reason of kube-apiserver with its HTTP code. */
export const statusReasons = {
  BadRequest: 400,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  NotAcceptable: 406,
  AlreadyExists: 409,
  Conflict: 409,
  Expired: 410,
  Gone: 410,
  RequestEntityTooLarge: 413,
  UnsupportedMediaType: 415,
  Invalid: 422,
  TooManyRequests: 429,
  InternalError: 500,
  ServiceUnavailable: 503,
  Timeout: 504,
} as const;

export type StatusReason = keyof typeof statusReasons;

/** `details.causes[]` of a Status. */
export interface StatusCause {
  reason?: string;
  message?: string;
  field?: string;
}

/** `details` of a Status. */
export interface StatusDetails {
  name?: string;
  group?: string;
  kind?: string;
  uid?: string;
  causes?: StatusCause[];
  retryAfterSeconds?: number;
}

/** Status of `meta/v1`. */
export interface Status {
  kind: 'Status';
  apiVersion: 'v1';
  metadata: Record<string, unknown>;
  status: 'Success' | 'Failure';
  message?: string;
  reason?: StatusReason | '';
  details?: StatusDetails;
  code?: number;
}

/** An error that becomes a response with a Status body. */
export class StatusError extends Error {
  readonly status: Status;
  /** Additional response headers, such as `Allow` or `Retry-After`. */
  readonly headers: Record<string, string>;

  constructor(status: Status, headers: Record<string, string> = {}) {
    super(status.message);
    this.name = 'StatusError';
    this.status = status;
    this.headers = headers;
  }

  get code(): number {
    return this.status.code ?? 500;
  }

  get reason(): string {
    return this.status.reason ?? '';
  }
}

/** Creates a Failure with a reason from the table. */
export function failure(reason: StatusReason, message: string, details?: StatusDetails): StatusError {
  return new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    // Quoted values need not be valid UTF-8.
    message: message.toWellFormed(),
    reason,
    ...(details ? { details } : {}),
    code: statusReasons[reason],
  });
}

const where = (gr: GroupResource, name?: string): StatusDetails => ({
  ...(name ? { name } : {}),
  ...(gr.group ? { group: gr.group } : {}),
  ...(gr.resource ? { kind: gr.resource } : {}),
});

export const notFound = (gr: GroupResource, name: string): StatusError =>
  failure('NotFound', `${qualifiedResource(gr)} ${goQuote(name)} not found`, where(gr, name));

/** The response for a path of a served API that is not a resource. */
export const noSuchResource = (): StatusError =>
  failure('NotFound', 'the server could not find the requested resource', {});

export const alreadyExists = (gr: GroupResource, name: string): StatusError =>
  failure('AlreadyExists', `${qualifiedResource(gr)} ${goQuote(name)} already exists`, where(gr, name));

export const conflict = (gr: GroupResource, name: string, why: string): StatusError =>
  failure(
    'Conflict',
    `Operation cannot be fulfilled on ${qualifiedResource(gr)} ${goQuote(name)}: ${why}`,
    where(gr, name),
  );

/** The message of a failed optimistic lock. */
export const objectModified =
  'the object has been modified; please apply your changes to the latest version and try again';

export const forbidden = (gr: GroupResource, name: string, why: string): StatusError => {
  const what = name === '' ? qualifiedResource(gr) : `${qualifiedResource(gr)} ${goQuote(name)}`;
  const message =
    gr.resource === '' && gr.group === '' ? `forbidden: ${why}` : `${what} is forbidden: ${why}`;
  return failure('Forbidden', message, where(gr, name));
};

export const badRequest = (message: string): StatusError => failure('BadRequest', message);
export const unauthorized = (message = 'Unauthorized'): StatusError => failure('Unauthorized', message);
export const expired = (message: string): StatusError => failure('Expired', message);
export const notAcceptable = (message: string): StatusError => failure('NotAcceptable', message);
export const unsupportedMediaType = (message: string): StatusError =>
  failure('UnsupportedMediaType', message);
export const tooLarge = (message: string): StatusError => failure('RequestEntityTooLarge', message);

export const methodNotAllowed = (gr: GroupResource, verb: string): StatusError =>
  failure(
    'MethodNotAllowed',
    `${verb} is not supported on resources of kind "${qualifiedResource(gr)}"`,
    where(gr),
  );

export const serviceUnavailable = (message: string): StatusError => failure('ServiceUnavailable', message);

/** 503 that clients repeat by themselves, after so many seconds. */
export const unavailableFor = (message: string, retryAfterSeconds: number): StatusError =>
  new StatusError(failure('ServiceUnavailable', message, { retryAfterSeconds }).status, {
    'Retry-After': String(retryAfterSeconds),
  });

/** 500 with only a message: kube-apiserver's response to an error without a reason. */
export const unclassified = (message: string): StatusError =>
  new StatusError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: 500 });

/** kube-apiserver's response to an unexpected error: `Internal error occurred: …` with the cause. */
export const internalError = (why: string): StatusError =>
  failure('InternalError', `Internal error occurred: ${why}`, { causes: [{ message: why }] });

export const timeout = (
  message: string,
  retryAfterSeconds: number | undefined,
  causes?: StatusCause[],
): StatusError => {
  const retry = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
  return new StatusError(
    failure('Timeout', message, { ...(causes ? { causes } : {}), ...retry }).status,
    retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) },
  );
};

export const tooManyRequests = (message: string, retryAfterSeconds: number): StatusError =>
  new StatusError(failure('TooManyRequests', message, { retryAfterSeconds }).status, {
    'Retry-After': String(retryAfterSeconds),
  });

/** 422 with one cause for each field error. Several errors are in brackets, each text once. */
export function invalid(
  gk: { group: string; kind: string },
  name: string,
  errors: readonly FieldError[],
): StatusError {
  const { message, causes } = reportFieldErrors(errors);
  const text = errors.length === 0 ? '' : `: ${message}`;
  return failure('Invalid', `${qualifiedKind(gk)} ${goQuote(name)} is invalid${text}`, {
    ...(name ? { name } : {}),
    ...(gk.group ? { group: gk.group } : {}),
    ...(gk.kind ? { kind: gk.kind } : {}),
    causes: [...causes],
  });
}

/** True if the error is a Status of that reason. */
export function isReason(error: unknown, reason: StatusReason): error is StatusError {
  return error instanceof StatusError && error.status.reason === reason;
}
