import { status } from '@grpc/grpc-js';
import { StoreError, type StoreErrorCode } from '../store.ts';

/** A failed call with its gRPC status. */
export class CallFailure extends Error {
  readonly code: status;
  readonly details: string;

  constructor(code: status, details: string) {
    super(details);
    this.name = 'CallFailure';
    this.code = code;
    this.details = details;
  }
}

// Clients recognize etcd's errors by these exact texts.
const storeFailures: Partial<Record<StoreErrorCode, [status, string]>> = {
  compacted: [status.OUT_OF_RANGE, 'etcdserver: mvcc: required revision has been compacted'],
  future: [status.OUT_OF_RANGE, 'etcdserver: mvcc: required revision is a future revision'],
  noSpace: [status.RESOURCE_EXHAUSTED, 'etcdserver: mvcc: database space exceeded'],
  tooLarge: [status.INVALID_ARGUMENT, 'etcdserver: request is too large'],
  unavailable: [status.UNAVAILABLE, 'etcdserver: server stopped'],
};

/** Converts an error to the failure that the client receives. */
export function failureOf(error: unknown): CallFailure {
  if (error instanceof CallFailure) return error;
  if (error instanceof StoreError) {
    const known = storeFailures[error.code];
    if (known) return new CallFailure(...known);
  }
  return new CallFailure(status.INTERNAL, `etcdserver: ${(error as Error).message}`);
}

/** The failure for a request with an unsupported field, or an unsupported use of it. */
export function unsupported(field: string): CallFailure {
  return new CallFailure(status.UNIMPLEMENTED, `etcdserver: ${field} is not supported by object-storage`);
}

/** The failure for a request above the limit of concurrent requests. */
export function tooManyRequests(): CallFailure {
  return new CallFailure(status.RESOURCE_EXHAUSTED, 'etcdserver: too many requests');
}

/** The failure for a missing or expired lease. */
export function leaseNotFound(): CallFailure {
  return new CallFailure(status.NOT_FOUND, 'etcdserver: requested lease not found');
}
