import type { Buffer } from 'node:buffer';
import type { KubeObject } from '@annex/machinery';
import type { RequestContext, ResourceKind, Subresource } from '@annex/kinds';
import type { WriteQuery } from '../queries/write-query.ts';
import type { Current, StoredObjects } from '../stored-objects.ts';
import { type EndpointType, endpointType } from './endpoint-type.ts';

export type WriteOperation = 'create' | 'update' | 'patch' | 'apply';

/** The state of one write. The steps of the write path fill it in order. */
export interface WriteContext {
  readonly request: RequestContext;
  readonly kind: ResourceKind;
  readonly objects: StoredObjects;
  /** The type that the write decodes and encodes. */
  readonly endpoint: EndpointType;
  readonly operation: WriteOperation;
  readonly query: WriteQuery;
  /** The name in the URL. For a create, the name of the object after it is set. */
  namespace: string;
  name: string;
  /** Set if the write is to a subresource. */
  readonly subresource?: { name: string; spec: Subresource } | undefined;

  body: Buffer;
  mediaType: string;
  /** Errors of strict decoding: duplicate and unknown fields. */
  strict: string[];
  /** The decoded body of a create or update, or the patch. */
  sent: unknown;
  /** The stored object. Absent for a create. */
  current: Current | undefined;
  /**
   * The stored object in the form of this endpoint, with the managedFields that the endpoint tracks. Shared
   * and read-only.
   */
  live: KubeObject | undefined;
  /** The object in the form of the endpoint, then the object to store. Private: steps may change it. */
  object: KubeObject;
  /** True for an apply that changes nothing: the stored object gets no defaults of a schema that has changed. */
  unchanged: boolean;
  /** True if a plugin replaced the object by one of many parts. */
  hasGrown: boolean;
  /** The response: the object as stored, and 201 if it is new. */
  result: KubeObject;
  code: number;
}

/** The part of a write that is known before its first step. */
export type WriteRequest = Pick<
  WriteContext,
  'request' | 'kind' | 'objects' | 'operation' | 'query' | 'subresource'
>;

export function createWriteContext(write: WriteRequest, body: Buffer, mediaType: string): WriteContext {
  return {
    ...write,
    endpoint: endpointType(write),
    namespace: write.request.info.namespace,
    name: write.request.info.name,
    body,
    mediaType,
    strict: [],
    sent: undefined,
    current: undefined,
    live: undefined,
    object: { metadata: {} },
    unchanged: false,
    hasGrown: false,
    result: { metadata: {} },
    code: write.operation === 'create' ? 201 : 200,
  };
}
