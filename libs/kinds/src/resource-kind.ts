import type { JsonObject, KubeObject } from '@annex/machinery';
import type { AsyncVersionConverter, ObjectSchema } from '@annex/schema';
import type { KindBehavior } from './kind-behavior.ts';
import type { Strategy } from './strategy.ts';
import type { Subresource } from './subresource.ts';

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
  behavior: KindBehavior;
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

/** The object as plain JSON, for the algorithms of the schema library. */
export const asJson = (object: KubeObject): JsonObject => object as unknown as JsonObject;
