import type { JsonObject, KubeObject } from '@annex/machinery';
import type { ObjectSchema } from '@annex/schema';
import type { RequestContext, ResourceKind } from '@annex/kinds';

/** The attributes of a write or a connection, as admission plugins see them. apiserver: `admission.Attributes`. */
export interface AdmissionAttributes {
  request: RequestContext;
  kind: ResourceKind;
  /** The type of the objects if it is not that of the kind: the separate type of a subresource. */
  objectKind?: ObjectKind | undefined;
  /** The other versions in which the resource is served. */
  equivalents(): readonly ResourceKind[];
  operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  subresource: string;
  namespace: string;
  name: string;
  dryRun: boolean;
  /**
   * CreateOptions, UpdateOptions or DeleteOptions as the client sent them; null for CONNECT, whose object is
   * its options.
   */
  options(): JsonObject | null;
  /** Absent for DELETE. Mutating plugins may change or replace it. */
  object?: KubeObject;
  /** Absent for CREATE. Read-only. */
  oldObject?: KubeObject | undefined;
  reinvocation: Reinvocation;
}

/** The type of the objects of a subresource. */
export interface ObjectKind {
  group: string;
  version: string;
  kind: string;
  schema: ObjectSchema;
}

/** State with which mutating plugins request a second invocation. */
export interface Reinvocation {
  /** Set by a plugin that changed the object after other plugins read it. */
  requested: boolean;
  /** True in the second invocation. */
  again: boolean;
  /** State that plugins keep from the first invocation, see {@link memoryOf}. */
  memory: Map<string, unknown> | undefined;
}

export const firstInvocation = (): Reinvocation => ({ requested: false, again: false, memory: undefined });

/** Returns the state that plugins keep from the first invocation, by plugin name. */
export const memoryOf = ({ reinvocation }: Pick<AdmissionAttributes, 'reinvocation'>): Map<string, unknown> =>
  (reinvocation.memory ??= new Map());

/** Runs for every write after authorization. Refuses the write by throwing StatusError. */
export interface AdmissionPlugin {
  readonly name: string;
  /** The resources that the plugin handles, as `group/resource`; all if absent. */
  readonly resources?: readonly string[];
  mutate?(attributes: AdmissionAttributes): void | Promise<void>;
  validate?(attributes: AdmissionAttributes): void | Promise<void>;
}
