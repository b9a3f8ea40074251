import type { JsonObject, KubeObject } from '@annex/machinery';
import type { ObjectSchema } from '@annex/schema';
import type { RequestContext, ResourceKind } from '@annex/kinds';

/** The attributes of a write or a connection, as admission plugins see them. apiserver: `admission.Attributes`. */
export interface AdmissionAttributes {
  request: RequestContext;
  kind: ResourceKind;
  /** The type of the objects where it is not that of the kind: a subresource with a type of its own. */
  objectKind?: ObjectKind | undefined;
  /** The other versions in which the resource is served. */
  equivalents(): readonly ResourceKind[];
  operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  subresource: string;
  namespace: string;
  name: string;
  dryRun: boolean;
  /** CreateOptions, UpdateOptions or DeleteOptions, as they were sent; null for CONNECT, whose object is its options. */
  options(): JsonObject | null;
  /** Absent for DELETE. Mutating plugins may change or replace it. */
  object?: KubeObject;
  /** Absent for CREATE. Never change it. */
  oldObject?: KubeObject | undefined;
  reinvocation: Reinvocation;
}

/** The type of what a subresource is written as. */
export interface ObjectKind {
  group: string;
  version: string;
  kind: string;
  schema: ObjectSchema;
}

/** How mutating plugins agree on being asked a second time. */
export interface Reinvocation {
  /** Set by a plugin that changed what others have already seen. */
  wanted: boolean;
  /** True in the second round. */
  again: boolean;
  /** What plugins remember from the first round, see {@link memoryOf}. */
  memory: Map<string, unknown> | undefined;
}

export const firstInvocation = (): Reinvocation => ({ wanted: false, again: false, memory: undefined });

/** What plugins remember of a request from the first round, by their names. */
export const memoryOf = ({ reinvocation }: Pick<AdmissionAttributes, 'reinvocation'>): Map<string, unknown> =>
  (reinvocation.memory ??= new Map());

/** A gate that every write passes after it was authorized. Refuses by throwing StatusError. */
export interface AdmissionPlugin {
  readonly name: string;
  /** The resources that it looks at, as `group/resource`; all where absent. */
  readonly resources?: readonly string[];
  mutate?(attributes: AdmissionAttributes): void | Promise<void>;
  validate?(attributes: AdmissionAttributes): void | Promise<void>;
}
