import type { Buffer } from 'node:buffer';
import type { KubeObject } from '@annex/machinery';
import type { RequestContext, ResourceKind, Subresource } from '@annex/kinds';
import type { WriteQuery } from '../queries/write-query.ts';
import type { Current, StoredObjects } from '../stored-objects.ts';
import { type Endpoint, endpointOf } from './endpoint.ts';

export type WriteOperation = 'create' | 'update' | 'patch' | 'apply';

/** All that is known of one write. Filled by the steps of the write path, in their order. */
export interface WriteContext {
  readonly request: RequestContext;
  readonly kind: ResourceKind;
  readonly objects: StoredObjects;
  /** The type that the write reads and sends. */
  readonly endpoint: Endpoint;
  readonly operation: WriteOperation;
  readonly query: WriteQuery;
  /** Of the URL. The name of a create is that of the object, once it has one. */
  namespace: string;
  name: string;
  /** Where the write goes to a subresource. */
  readonly subresource?: { name: string; spec: Subresource } | undefined;

  body: Buffer;
  mediaType: string;
  /** What strict decoding complains about: duplicate and unknown fields. */
  strict: string[];
  /** The body of a create or update, decoded; or the patch. */
  sent: unknown;
  /** The object in the store. Absent for a create. */
  current: Current | undefined;
  /** The same as this endpoint shows it, with the managedFields that are tracked there. Shared: never change it. */
  live: KubeObject | undefined;
  /** The object that is written to the endpoint, then the one that will be stored. Private: steps may change it. */
  object: KubeObject;
  /** What is answered: the object as stored, and 201 where it is new. */
  result: KubeObject;
  code: number;
}

/** A write that starts with nothing known but its request. */
export type WriteRequest = Pick<
  WriteContext,
  'request' | 'kind' | 'objects' | 'operation' | 'query' | 'subresource'
>;

export function createWriteContext(write: WriteRequest, body: Buffer, mediaType: string): WriteContext {
  return {
    ...write,
    endpoint: endpointOf(write),
    namespace: write.request.info.namespace,
    name: write.request.info.name,
    body,
    mediaType,
    strict: [],
    sent: undefined,
    current: undefined,
    live: undefined,
    object: { metadata: {} },
    result: { metadata: {} },
    code: write.operation === 'create' ? 201 : 200,
  };
}
