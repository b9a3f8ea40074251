import type { FieldError, JsonObject, KubeObject } from '@annex/machinery';
import type { ObjectSchema, ReplicasPaths } from '@annex/schema';
import type { RequestContext } from './context.ts';
import type { MetaChecks } from './strategy.ts';

/** A subresource of a stored object. */
export interface Subresource {
  /** The kind as which it is read and written. */
  group: string;
  version: string;
  kind: string;
  verbs: readonly string[];
  /** The schema of the request body, where it differs from the parent's. */
  schema?: ObjectSchema;
  /** Returns what GET shows of the parent, which it must not change. Throws StatusError. */
  read?(parent: KubeObject, request: RequestContext): KubeObject | Promise<KubeObject>;
  /** Returns the parent after `sent` is written to this subresource. May share parts with both; must not change `parent`. */
  write?(sent: KubeObject, parent: KubeObject, request: RequestContext): KubeObject | Promise<KubeObject>;
  /** As {@link MetadataRules.metaChecks}, for writes to this endpoint. */
  metaChecks?: MetaChecks;
  /** As {@link OwnedFields.resetFields}, for writes to this endpoint. */
  resetFields?: readonly (readonly string[])[];
  /** As {@link OwnedFields.resetVersions}, for writes to this endpoint. */
  resetVersions?: ReadonlySet<string>;
  /** The object as validating admission and responses show it, where that differs from what {@link read} returns to a write. */
  asShown?(object: KubeObject): KubeObject;
  /** Of a Scale: where the versions of the parent keep its replicas. Its fields are tracked as its own and carried over. */
  replicasPaths?: ReplicasPaths;
  /** Why kube-apiserver cannot convert what is applied to this endpoint: only an apply that changes nothing succeeds. */
  applyError?: string;
  /** Validates a write, in addition to the parent's schema. */
  validate?(
    updated: KubeObject,
    parent: KubeObject,
    request: RequestContext,
  ): FieldError[] | Promise<FieldError[]>;
  /** Throws StatusError if the body of a POST contradicts the path; called before the parent is read. */
  checkSent?(sent: KubeObject, request: RequestContext): void;
  /** Handles POST to the subresource (`serviceaccounts/token`, `pods/binding`). */
  create?(sent: KubeObject, parent: KubeObject | undefined, request: RequestContext): Promise<KubeObject>;
  /** The response to POST is the completed request body. Its parent has to exist before admission validates it. */
  echoes?: boolean;
  /** Sets defaults in the body of a POST; they count as sent. */
  setDefaults?(sent: KubeObject): void;
  /** Handles every method of a subresource that connects to something behind its parent. */
  connect?: Connection;
}

/** The target of a connecting subresource. Request bodies are not decoded. */
export interface Connection {
  /** Returns the name of the parent, given the segment of the path in its place. Throws StatusError. */
  target?(text: string): string;
  /** The options in the query, which admission plugins get as an object; absent where admission is not called. */
  options?: ConnectOptions;
  respond(parent: KubeObject, request: RequestContext): void | Promise<void>;
  /** Throws StatusError if the headers or the query are invalid; called before the parent is read. */
  checkRequest?(request: RequestContext): void;
}

/** The object that admission plugins get for a connection: its schema, and how it is read from a request. */
export interface ConnectOptions {
  schema: ObjectSchema;
  read(request: RequestContext): JsonObject;
}
