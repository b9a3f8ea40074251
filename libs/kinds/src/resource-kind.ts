import type { FieldError, JsonObject, KubeObject } from '@annex/machinery';
import type { AsyncVersionConverter, ObjectSchema, ReplicasPaths } from '@annex/schema';
import type { RequestContext } from './context.ts';
import type { KindBehaviour } from './kind-behaviour.ts';

/** Which object a client expects to delete. */
export type Preconditions = { uid?: string | null; resourceVersion?: string | null };

/**
 * A kind that is served: names, scope, schema, subresources, columns and hooks of one version of one resource.
 * Built-in kinds declare it from recorded data, CustomResourceDefinitions make it at run time; one path serves both.
 */
export interface ResourceKind {
  group: string;
  version: string;
  kind: string;
  listKind: string;
  /** The plural name in URLs. */
  resource: string;
  singular: string;
  namespaced: boolean;
  shortNames: readonly string[];
  categories: readonly string[];
  /** In the order discovery prints them. */
  verbs: readonly string[];
  /** What discovery prints where it is less than what is served (a custom resource whose CRD is being deleted). */
  listedVerbs?: readonly string[];
  /** What differs between built-in kinds and custom resources. */
  behaviour: KindBehaviour;
  schema: ObjectSchema;
  subresources: Readonly<Record<string, Subresource>>;
  columns: readonly TableColumn[];
  /** What a Table says of the row of an object as a whole. */
  rowConditions?(object: KubeObject): readonly TableRowCondition[];
  strategy: Strategy;
  /** How objects are kept. Absent for kinds that are only asked and never stored (reviews). */
  storage?: StorageKind;
  /** Field selectors beyond metadata.name and metadata.namespace: label → value of an object (`''` where absent). */
  selectableFields: ReadonlyMap<string, (object: KubeObject) => string>;
  /** The complaint about a field that objects cannot be selected by, where it is not in the usual words. */
  unknownField?(field: string): string;
  /** Sent with every answer of a deprecated version. */
  deprecationWarning?: string;
  /** Aborts when this kind is served no more, or another one in its place: its watches end then. */
  retired?: AbortSignal;
}

/** How the objects of a resource are kept; shared by all of its versions. */
export interface StorageKind {
  /** `/registry/<group>/<resource>/`, as kube-apiserver has it. */
  prefix: string;
  /** The version that objects are stored in: `group/version`. */
  apiVersion: string;
  /**
   * Turns a stored object into this kind's version: defaults of the storage version, conversion, pruning.
   * Gets a private copy and may change it. Throws StatusError where conversion fails.
   */
  fromStored(object: KubeObject): KubeObject | Promise<KubeObject>;
  /** Turns an object of this kind's version into the storage version; may change its argument. */
  toStored(object: KubeObject): KubeObject | Promise<KubeObject>;
  /** The schema of a version, whether or not it is served. Absent where versions are Go types in kube-apiserver. */
  schemaIn?(version: string): ObjectSchema | undefined;
  /**
   * An object of this kind's version in another version, with the schema of that, for the managers who wrote in it. May share parts
   * with its argument, and must not change it. Absent where only the kinds that are served beside this one share its storage.
   */
  inVersion?: AsyncVersionConverter;
  /** True where stored bytes are this version's as they are, so that reads need neither conversion nor a copy. */
  identity: boolean;
  /** The revision at which this way of keeping objects began: watches cannot begin before it. Absent for ever. */
  servedSince?: number;
  /** After how many seconds the store forgets an object; `undefined` for never. */
  ttlSeconds?(object: KubeObject): number | undefined;
}

/** A column of a Table. */
export interface TableColumn {
  name: string;
  type: string;
  format: string;
  description: string;
  priority: number;
  /** The cell of an object, as JSON; `now` is milliseconds since the epoch, for ages. */
  cell(object: KubeObject, now: number): unknown;
}

/** A condition of a row, such as that its object is of no more interest. */
export interface TableRowCondition {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason?: string;
  message?: string;
}

/** What code decides for a kind, in the order of the write path. Every hook is optional. */
export interface Strategy {
  /** PUT or apply of an absent object creates it. */
  allowCreateOnUpdate?: boolean;
  /** Updates without resourceVersion are taken as "whatever is stored". */
  allowUnconditionalUpdate?: boolean;
  /** `metadata.generation` counts changes of anything but metadata and status; it may stay 1, or begin at the first change. */
  generation?: boolean | 'fixed' | 'fromFirstChange';
  /** Metadata whose changes `metadata.generation` counts too. */
  generationCounts?: 'annotations' | 'labels';
  /** Paths that a write leaves as they are, whatever is sent: nobody becomes their owner by it. The status by default, where that is a subresource. */
  resetFields?: readonly (readonly string[])[];
  /** The metadata of a new object is checked only where the kind has nothing to say against it, whose validation leaves metadata out. */
  metadataLast?: boolean;
  /** How the kind's own validation checks metadata beside what is checked of every kind; not at all by default. */
  metaChecks?: MetaChecks;
  /** What `metadata.name` must be: returns the complaints of kube's name validation. */
  validateName?(name: string, prefix: boolean): string[];
  /** Fills what the server owns in a new object (after pruning and defaulting); drops status where it may not be set. */
  prepareForCreate?(object: KubeObject, ctx: RequestContext): void | Promise<void>;
  /** The same for an update; restores what may not be changed through this endpoint. */
  prepareForUpdate?(object: KubeObject, old: KubeObject, ctx: RequestContext): void | Promise<void>;
  /** Checks beyond the schema. */
  validateCreate?(object: KubeObject, ctx: RequestContext): FieldError[] | Promise<FieldError[]>;
  validateUpdate?(
    object: KubeObject,
    old: KubeObject,
    ctx: RequestContext,
  ): FieldError[] | Promise<FieldError[]>;
  /** Warnings for what is accepted but unwise. */
  warnings?(object: KubeObject, old: KubeObject | undefined): string[];
  /**
   * Throws StatusError where this user may not write this content (RBAC escalation). Asked before preconditions and
   * validation; `old` is absent for what is created.
   */
  authorize?(object: KubeObject, old: KubeObject | undefined, ctx: RequestContext): void | Promise<void>;
  /** Throws StatusError where a valid object is refused all the same. */
  admit?(object: KubeObject, old: KubeObject | undefined, ctx: RequestContext): void | Promise<void>;
  /** Throws StatusError where a DELETE expects another object, in the kind's own words; else kube's general ones are used. */
  checkPreconditions?(object: KubeObject, expected: Preconditions): void;
  /** Throws StatusError where the object may not be deleted. */
  admitDelete?(object: KubeObject, ctx: RequestContext): void | Promise<void>;
  /** DELETE answers with what was deleted instead of with a Status. */
  returnsDeleted?: boolean;
  /** A new object may bring its status; of other kinds with a status endpoint it is dropped. */
  takesNewStatus?: boolean;
  /** DELETE leaves dependents where it does not say what becomes of them. */
  orphansByDefault?: boolean;
  /** Warns a client that does not say what becomes of dependents. */
  deletionWarning?: string;
  /** How many seconds an object may take to go; absent for kinds that go at once. `asked` is what the client wants. */
  gracePeriod?(object: KubeObject, asked: number | undefined): number;
  /**
   * Changes a live object when its deletion is asked for (Namespace: phase Terminating). Returns true where it must stay
   * until finalizers outside of metadata are gone.
   */
  beginDelete?(object: KubeObject, ctx: RequestContext): boolean;
  /** True where an update of a terminating object without finalizers must not delete it yet (Namespace.spec.finalizers). */
  holdsDeletion?(object: KubeObject): boolean;
  /** After the object is gone from the store. */
  afterDelete?(object: KubeObject): void | Promise<void>;
  /**
   * Answers a create without storing anything: reviews. The result is sent with 201. The managedFields of the object say
   * who sent what.
   */
  answer?(object: KubeObject, ctx: RequestContext): KubeObject | Promise<KubeObject>;
}

/** How often a kind's own validation checks metadata again: a client sees a cause for each time. */
export interface MetaChecks {
  /** Updates against what was before. */
  asUpdate: number;
  /** Updates as new objects are checked. */
  asWhole: number;
  /** Finalizers without a domain must be those of Kubernetes; on creates too. */
  standardFinalizers: boolean;
}

/** A subresource of a stored object. */
export interface Subresource {
  /** The kind it is read and written as. */
  group: string;
  version: string;
  kind: string;
  verbs: readonly string[];
  /** The schema of what is sent, where it differs from the parent's. */
  schema?: ObjectSchema;
  /** What GET shows of the parent. Must not change it. Throws StatusError. */
  read?(parent: KubeObject, ctx: RequestContext): KubeObject | Promise<KubeObject>;
  /** The parent after `sent` was written to this subresource. May share parts with both; must not change `parent`. */
  write?(sent: KubeObject, parent: KubeObject, ctx: RequestContext): KubeObject | Promise<KubeObject>;
  /** As {@link Strategy.metaChecks}, for writes to this endpoint. */
  metaChecks?: MetaChecks;
  /** Paths that a write to this endpoint leaves as they are, whatever is sent: nobody becomes their owner by it. */
  resetFields?: readonly (readonly string[])[];
  /** Of a Scale: where the versions of the parent keep its replicas. Its fields are tracked as its own and carried over. */
  /** The current object as admission sees it, where that is not as {@link read} gives it to a write. */
  asOld?(object: KubeObject): KubeObject;
  replicasPaths?: ReplicasPaths;
  /** Why kube cannot convert what is applied to this endpoint: then only an apply that changes nothing succeeds. */
  applyError?: string;
  /** Errors of a write, beside those of the parent's schema. */
  validate?(
    updated: KubeObject,
    parent: KubeObject,
    ctx: RequestContext,
  ): FieldError[] | Promise<FieldError[]>;
  /** Throws StatusError where what is sent to POST contradicts the path, before the parent is looked for. */
  checkSent?(sent: KubeObject, ctx: RequestContext): void;
  /** Answers POST to the subresource (`serviceaccounts/token`, `pods/binding`). */
  create?(sent: KubeObject, parent: KubeObject | undefined, ctx: RequestContext): Promise<KubeObject>;
  /** That answer is what was sent, completed: its managedFields say who sent what. */
  echoes?: boolean;
  /** Sets what the sender leaves to the server; it counts as sent. */
  setDefaults?(sent: KubeObject): void;
  /** Answers every method of a subresource that connects to something behind its parent. */
  connect?: Connection;
}

/** Where a connecting subresource leads. What is sent to it is not decoded. */
export interface Connection {
  /** The name of the parent in what stands in its place in the path. Throws StatusError. */
  target?(text: string): string;
  /** What the query asks for, which admission is asked about; absent where it is not. Throws StatusError. */
  options?: ConnectOptions;
  answer(parent: KubeObject, ctx: RequestContext): void | Promise<void>;
  /** Throws StatusError where the headers or the query say nothing of use, before the parent is looked for. */
  checkRequest?(ctx: RequestContext): void;
}

/** The object that stands for a connection in admission: its schema, and how it is read from a request. */
export interface ConnectOptions {
  schema: ObjectSchema;
  read(ctx: RequestContext): JsonObject;
}

/** The object as plain JSON, for the algorithms of the schema library. */
export const asJson = (object: KubeObject): JsonObject => object as unknown as JsonObject;
