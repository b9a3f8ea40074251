import type { UserInfo } from '@annex/auth';
import type { FieldError, KubeObject, StatusError } from '@annex/machinery';
import type { Schema } from './schema-type.ts';

/** A column that `kubectl get` prints. */
export interface Column<T = KubeObject> {
  /** The head of the column. */
  name: string;
  /** Default `string`. */
  type?: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  description?: string;
  /** A column with a priority above 0 is printed by `-o wide` only. */
  priority?: number;
  /** Returns the cell. A time of type `date` is printed as an age. */
  value(object: T): unknown;
}

/** Stores a version of a resource in the form of another version. */
export interface StoredAs<T = KubeObject> {
  /** The version whose form is stored: a resource of the same server with the same plural. */
  version: string;
  /** Converts an object of this version to the stored form. Type and metadata are converted by the server. */
  to(object: T): KubeObject;
  /** Converts a stored object to this version. */
  from(object: KubeObject): T;
}

/** The subresource `scale`, which `kubectl scale` and autoscalers use. */
export interface ScaleDefinition<T = KubeObject> {
  /** Returns the requested number of replicas. */
  replicas(object: T): number;
  /** Writes the requested number of replicas to an object. */
  setReplicas(object: T, replicas: number): void;
  /** Returns the observed number of replicas. Default: the requested number. */
  currentReplicas?(object: T): number;
  /** Returns a label selector of the replicas in text form: `app=web`. */
  selector?(object: T): string;
}

/** An endpoint of each object: `…/<plural>/<name>/<subresource>`. It has separate permissions. */
export interface SubresourceDefinition<T = KubeObject> {
  /** The kind of requests and responses. Default: the kind of the resource. */
  kind?: string;
  /** Default: the API version of the resource. */
  apiVersion?: string;
  /** The schema of requests, if their kind differs from that of the resource. */
  schema?: Schema;
  /** Handles GET. */
  get?(object: T, request: ExtensionRequest): KubeObject | Promise<KubeObject>;
  /** Handles PUT and PATCH: returns the object to store, and leaves `object` unchanged. Requires `get`. */
  put?(sent: KubeObject, object: T, request: ExtensionRequest): T | Promise<T>;
  /** Handles POST. Stores nothing. */
  post?(sent: KubeObject, object: T, request: ExtensionRequest): KubeObject | Promise<KubeObject>;
}

/** What the functions of a definition receive in addition to the object. */
export interface ExtensionRequest {
  /** The user who sent the request. */
  readonly user: UserInfo;
  /** Aborts when the client disconnects or the deadline passes. */
  readonly signal: AbortSignal;
  /** The objects of this server. */
  readonly objects: OwnObjects;
  /** Returns an error to throw: kube-apiserver's `403 Forbidden` for this object. */
  forbidden(why: string): StatusError;
}

/** Reads the objects that this server stores, without a request and without authorization. Never change what it returns. */
export interface OwnObjects {
  /** Returns the current objects of a resource, in one namespace or in all. */
  list<T extends KubeObject>(resource: Resource<T>, namespace?: string): Promise<T[]>;
  /** Returns one object, or `undefined` if it does not exist. */
  get<T extends KubeObject>(resource: Resource<T>, name: string, namespace?: string): Promise<T | undefined>;
}

/**
 * One version of a resource, before it is checked. For creates and updates, the server calls `admit`, `prepare` and `validate`
 * in this order. Objects have their defaults and match the schema. `admit` and `prepare` reject an object by throwing.
 */
export interface ResourceDefinition<T = KubeObject> {
  /** `v1`, `v1alpha1`. */
  version: string;
  /** `Greeting`. */
  kind: string;
  /** The name in URLs. Default: the kind in lower case with an `s`. */
  plural?: string;
  /** The name of one object in kubectl. Default: the kind in lower case. */
  singular?: string;
  /** Further names in kubectl: `po` for `pods`. */
  shortNames?: readonly string[];
  /** Groups of resources, such as `all` for `kubectl get all`. */
  categories?: readonly string[];
  /** Default `Namespaced`. */
  scope?: 'Namespaced' | 'Cluster';
  /** Unknown fields are pruned, defaults are set, and objects that violate it or its `x-kubernetes-validations` are rejected. */
  schema: Schema;
  /**
   * True: objects behave like the Go types of an extension API server. A value of another type is 400. `apiVersion` and `kind` are
   * optional, and a name is any path segment. Strategic merge patches merge lists by their `x-kubernetes-list-map-keys`. Empty strings,
   * lists and maps of optional fields are omitted, except `nullable` ones, which are pointers. Other structs default to `{}`.
   * False: objects behave like custom resources. Default true.
   */
  typed?: boolean;
  /** Sets defaults that depend on other fields, after the defaults of the schema. Only for typed kinds. */
  setDefaults?(object: T): void;
  /** Whether there is a `status` subresource. Default: true if the schema has a `status`. */
  status?: boolean;
  /** The `scale` subresource. */
  scale?: ScaleDefinition<T>;
  /** Further subresources by name. */
  subresources?: Readonly<Record<string, SubresourceDefinition<T>>>;
  /** What `kubectl get` prints between the name and the age. A typed kind without `columns` and `age` shows its creation time. */
  columns?: readonly Column<T>[];
  /** Whether the age is the last column. Default true. */
  age?: boolean;
  /** Whether `metadata.generation` counts changes. Default true. */
  generation?: boolean;
  /** Field selectors beyond `metadata.name` and `metadata.namespace`. */
  selectableFields?: Readonly<Record<string, (object: T) => string>>;
  /** Rejects a new object (without `old`) or an update by throwing, before `validate`. */
  admit?(object: T, old: T | undefined, request: ExtensionRequest): void | Promise<void>;
  /** Sets the fields that this server owns. The object is checked against the schema again afterwards. */
  prepare?(object: T, old: T | undefined, request: ExtensionRequest): void | Promise<void>;
  /** Returns all errors that the schema does not find; `fieldErrors` creates them. */
  validate?(object: T, old: T | undefined, request: ExtensionRequest): FieldError[] | Promise<FieldError[]>;
  /** Stores this version in the form of another one. Default: objects are stored in this version. */
  storedAs?: StoredAs<T>;
  /** A warning in every response: why this version is deprecated, and until when it is served. */
  deprecationWarning?: string;
}

declare const checked: unique symbol;

/**
 * A definition that {@link defineResource} has checked.
 * @typeParam T an object in responses
 * @typeParam I an object in requests
 */
export type Resource<T extends KubeObject = KubeObject, I = unknown> = Omit<
  ResourceDefinition<never>,
  'plural'
> & {
  plural: string;
  /** Exists for TypeScript only. */
  readonly [checked]: { object: T; input: I };
};
