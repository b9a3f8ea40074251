import {
  type GroupResource,
  type StatusError,
  alreadyExists,
  expired,
  failure,
  internalError,
  serviceUnavailable,
  timeout,
  unclassified,
} from '@annex/machinery';
import type { StoreError } from '@annex/storage';
import type { ResourceKind } from '@annex/kinds';

/** Converts an error of the store to an API error; no other function does. */
export function storeStatus(error: StoreError, resource: GroupResource, name: string): StatusError {
  switch (error.code) {
    case 'exists':
      return alreadyExists(resource, name);
    case 'compacted':
      return expired('The resourceVersion for the provided list is too old.');
    case 'future':
      return tooLargeVersion();
    case 'tooLarge':
      return unclassified('etcdserver: request is too large');
    case 'noSpace':
      return unclassified('etcdserver: mvcc: database space exceeded');
    case 'timedOut':
      return storeTimedOut(true);
    case 'unavailable':
    case 'locked':
    case 'damaged':
    case 'invalid':
      return storeUnavailable();
    case 'conflict':
    case 'notFound':
      // Callers read again and retry; this error means that one did not.
      return internalError(error.message);
  }
}

export const storeUnavailable = (): StatusError =>
  serviceUnavailable('the storage of this server is unavailable');

/** kube-apiserver's error for a request that its store does not respond to in time. */
export const storeTimedOut = (isWrite: boolean): StatusError =>
  failure(
    'Timeout',
    isWrite
      ? 'Timeout: request did not complete within requested timeout - context deadline exceeded'
      : 'Timeout: request did not complete within the allotted timeout',
    {},
  );

/**
 * kube-apiserver's error for a resourceVersion that is too new. kube-apiserver reads objects with a TTL
 * directly from etcd; their error has no retryAfterSeconds.
 */
export const tooLargeVersion = (
  requested?: number | bigint,
  current?: number,
  { storage }: Pick<ResourceKind, 'storage'> = {},
): StatusError =>
  timeout(
    requested === undefined
      ? 'Timeout: Too large resource version'
      : `Timeout: Too large resource version: ${requested}, current: ${current}`,
    storage?.ttlSeconds === undefined ? 1 : undefined,
    [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
  );
