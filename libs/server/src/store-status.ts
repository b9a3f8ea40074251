import {
  type GroupResource,
  type StatusError,
  alreadyExists,
  expired,
  internalError,
  serviceUnavailable,
  timeout,
  unclassified,
} from '@annex/machinery';
import type { StoreError } from '@annex/storage';
import type { ResourceKind } from '@annex/kinds';

/** The one place where an error of the store becomes an API error. */
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
    case 'unavailable':
    case 'locked':
    case 'damaged':
    case 'invalid':
      return serviceUnavailable('the storage of this server is unavailable');
    case 'conflict':
    case 'notFound':
      // Callers read again and try once more; this is for one that did not.
      return internalError(error.message);
  }
}

/** kube's answer to a resourceVersion that was never written. Objects that are forgotten it reads from etcd itself, and promises nothing. */
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
