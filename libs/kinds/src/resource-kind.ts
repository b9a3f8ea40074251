import type { JsonObject, KubeObject, Passes, Pause } from '@annex/machinery';
import type { AsyncVersionConverter, ObjectSchema } from '@annex/schema';
import type { KindBehavior } from './kind-behavior.ts';
import type { Strategy } from './strategy.ts';
import type { Subresource } from './subresource.ts';

/**
 * A served kind: names, scope, schema, subresources, columns and hooks of one version of one resource.
 * Built-in kinds declare it from recorded data; CustomResourceDefinitions create it at run time. The same
 * code serves both.
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
  /** In the order of discovery. */
  verbs: readonly string[];
  /**
   * The verbs in discovery, if they are fewer than the served ones (a custom resource whose CRD is being
   * deleted).
   */
  listedVerbs?: readonly string[];
  /** The differences between built-in kinds and custom resources. */
  behavior: KindBehavior;
  schema: ObjectSchema;
  subresources: Readonly<Record<string, Subresource>>;
  columns: readonly TableColumn[];
  /** Every Table of a watch has column definitions, not only the first. */
  repeatsColumns?: boolean;
  /** Returns the conditions of a Table row. */
  rowConditions?(object: KubeObject): readonly TableRowCondition[];
  /** Compares the objects of the rows of a Table. Without it, rows have the order of the list. */
  rowOrder?(a: KubeObject, b: KubeObject): number;
  strategy: Strategy;
  /** The stored form of objects. Absent for kinds that are never stored (reviews). */
  storage?: StorageKind;
  /**
   * Field selectors in addition to metadata.name and metadata.namespace: label → value of an object (`''` if
   * absent).
   */
  selectableFields: ReadonlyMap<string, (object: KubeObject) => string>;
  /** Returns the error message for an unsupported field label, if it differs from the usual one. */
  unknownField?(field: string): string;
  /** Sent with every response of a deprecated version. */
  deprecationWarning?: string;
  /** Aborts when this kind is no longer served or is replaced, to end its watches. */
  retired?: AbortSignal;
  /** Resolves when a large schema is compiled, which requests wait for; absent or `undefined` if it is. */
  readonly preparing?: Promise<void> | undefined;
}

/** The stored form of a resource; shared by all of its versions. */
export interface StorageKind {
  /** `/registry/<group>/<resource>/`, as kube-apiserver has it. */
  prefix: string;
  /** The version that objects are stored in: `group/version`. */
  apiVersion: string;
  /** True if discovery reports no hash of that version, because clients cannot use it. */
  unhashed?: boolean;
  /**
   * Converts a stored object to this kind's version: defaults of the storage version, conversion, pruning.
   * May change its argument, a private copy. Throws StatusError if the conversion fails. With a pause, a kind of CRDs
   * pauses between the passes over a large object.
   */
  fromStored(object: KubeObject, pause?: Pause): KubeObject | Promise<KubeObject>;
  /** Converts an object of this kind's version to the storage version. May change its argument. */
  toStored(object: KubeObject, pause?: Pause): KubeObject | Promise<KubeObject>;
  /** The passes of both conversions, for large objects; absent if there is one. */
  inPasses?: {
    fromStored(object: KubeObject): Passes<KubeObject>;
    toStored(object: KubeObject): Passes<KubeObject>;
  };
  /**
   * Returns the schema of a version, whether or not it is served. Absent if versions are Go types in
   * kube-apiserver.
   */
  schemaIn?(version: string): ObjectSchema | undefined;
  /**
   * Converts an object of this kind's version to another version, and returns the schema of that version, for
   * its field managers. May share parts with its argument, and must not change it. Absent if only the served
   * kinds share the storage.
   */
  inVersion?: AsyncVersionConverter;
  /** True if the stored bytes have this version's form, so that reads need neither conversion nor a copy. */
  identity: boolean;
  /**
   * The revision since which objects are stored in this form: watches cannot begin before it. Absent if it
   * never changed.
   */
  servedSince?: number;
  /** Returns the seconds after which the store deletes an object; `undefined` for never. */
  ttlSeconds?(object: KubeObject): number | undefined;
}

/** A column of a Table. */
export interface TableColumn {
  name: string;
  type: string;
  format: string;
  description: string;
  priority: number;
  /** Returns the cell of an object, as JSON; `now` is milliseconds since the epoch, for ages. */
  cell(object: KubeObject, now: number): unknown;
}

/** A condition of a row, for example that its object has completed. */
export interface TableRowCondition {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason?: string;
  message?: string;
}

/** Returns the object as plain JSON, for the algorithms of the schema library. */
export const asJson = (object: KubeObject): JsonObject => object as unknown as JsonObject;
