import type { FieldError, KubeObject } from '@annex/machinery';
import type { RequestContext } from './context.ts';

/**
 * The hooks of a kind in addition to its schema: one role for each part of a request. Every member is
 * optional. A function that needs one role takes that role, not the whole strategy.
 */
export interface Strategy
  extends
    UpdateRules,
    GenerationRules,
    MetadataRules,
    OwnedFields,
    Preparation,
    ObjectValidation,
    WriteAuthorization,
    DeleteRules,
    TerminationRules,
    ReviewStrategy {}

/** Which updates are accepted. */
export interface UpdateRules {
  /** PUT or apply of an absent object creates it. */
  allowCreateOnUpdate?: boolean;
  /** Updates without resourceVersion replace whatever is stored. */
  allowUnconditionalUpdate?: boolean;
}

/** What `metadata.generation` counts. */
export interface GenerationRules {
  /** Counts changes of anything but metadata and status; it may stay 1 (`fixed`), or begin with the first change. */
  generation?: boolean | 'fixed' | 'fromFirstChange';
  /** Metadata whose changes count too. */
  generationCounts?: 'annotations' | 'labels';
}

/** How names and other metadata are validated. */
export interface MetadataRules {
  /** Returns the errors of a name, or of a `generateName` if `prefix` is true; the name of a DNS subdomain by default. */
  validateName?(name: string, prefix: boolean): string[];
  /** How the kind's own validation checks metadata in addition to the checks of every kind; not at all by default. */
  metaChecks?: MetaChecks;
  /** The metadata of a new object is checked only if the kind's own validation, which leaves metadata out, finds no error. */
  metadataLast?: boolean;
}

/** How often a kind's own validation checks metadata again: a client sees one cause for each time. */
export interface MetaChecks {
  /** Checks an update against the old metadata. */
  asUpdate: number;
  /** Checks an update as a new object is checked. */
  asWhole: number;
  /** Finalizers without a domain must be those of Kubernetes; on creates too. */
  standardFinalizers: boolean;
}

/** Which fields a write may set. */
export interface OwnedFields {
  /** Paths that a write never changes and never owns. The status by default, where it is a subresource. */
  resetFields?: readonly (readonly string[])[];
  /** The versions (`group/version`) whose managers keep those fields, whatever a write contains; by default, all. */
  resetVersions?: ReadonlySet<string>;
  /** A new object may bring its status; for other kinds with a status endpoint it is dropped. */
  takesNewStatus?: boolean;
}

/** Fills what the server owns, after pruning and defaulting. */
export interface Preparation {
  /** Completes a new object, and drops its status where that may not be set. */
  prepareForCreate?(object: KubeObject, request: RequestContext): void | Promise<void>;
  /** Completes an updated object, and restores what may not be changed through this endpoint. */
  prepareForUpdate?(object: KubeObject, old: KubeObject, request: RequestContext): void | Promise<void>;
}

/** Validation beyond the schema. */
export interface ObjectValidation {
  validateCreate?(object: KubeObject, request: RequestContext): FieldError[] | Promise<FieldError[]>;
  validateUpdate?(
    object: KubeObject,
    old: KubeObject,
    request: RequestContext,
  ): FieldError[] | Promise<FieldError[]>;
  /** Returns warnings about what is accepted but unwise. */
  warnings?(
    object: KubeObject,
    old: KubeObject | undefined,
    request: RequestContext,
  ): string[] | Promise<string[]>;
}

/** Refuses writes. `old` is absent for new objects. */
export interface WriteAuthorization {
  /**
   * Throws StatusError if this user may not write this content (RBAC escalation). Called before preconditions and
   * validation are checked.
   */
  authorize?(object: KubeObject, old: KubeObject | undefined, request: RequestContext): void | Promise<void>;
  /** Throws StatusError if a valid object is refused; the last step before the store. */
  validatingAdmission?(
    object: KubeObject,
    old: KubeObject | undefined,
    request: RequestContext,
  ): void | Promise<void>;
}

/** Which object a client expects to delete. */
export type Preconditions = { uid?: string | null; resourceVersion?: string | null };

/** Which DELETE requests are accepted, and what they return. */
export interface DeleteRules {
  /** Throws StatusError if a DELETE expects another object, where the message differs from that of other kinds. */
  checkPreconditions?(object: KubeObject, expected: Preconditions): void;
  /** Throws StatusError if the object may not be deleted. */
  admitDelete?(object: KubeObject, request: RequestContext): void | Promise<void>;
  /** The warning for a client that does not set a propagation policy. */
  deletionWarning?: string;
  /** DELETE returns the deleted object instead of a Status. */
  returnsDeleted?: boolean;
}

/** How an object terminates once its deletion is requested. */
export interface TerminationRules {
  /** Dependents are orphaned where DELETE sets no propagation policy. */
  orphansByDefault?: boolean;
  /** The number of seconds that an object may take to terminate, given the number that the client requests; absent for kinds that are deleted immediately. */
  gracePeriod?(object: KubeObject, requested: number | undefined): number;
  /**
   * Changes a stored object when its deletion is requested (Namespace: phase Terminating). Returns true if it must stay
   * until finalizers outside of metadata are removed.
   */
  beginDelete?(object: KubeObject, request: RequestContext): boolean;
  /** True if an update of a terminating object without finalizers must not delete it yet (Namespace.spec.finalizers). */
  holdsDeletion?(object: KubeObject): boolean;
  /** Called after the object is removed from the store. */
  afterDelete?(object: KubeObject): void | Promise<void>;
}

/** Kinds that are created but never stored. */
export interface ReviewStrategy {
  /** Returns the response to a create, which is sent with status 201. Its managedFields are those of the request. */
  respond?(object: KubeObject, request: RequestContext): KubeObject | Promise<KubeObject>;
}
