/** Why a plugin does not accept a Pod. Success is the absence of a status. */
export type StatusCode =
  /** Refused, but the removal of other Pods may help. */
  | 'unschedulable'
  /** Refused, and the removal of other Pods does not help. */
  | 'unresolvable'
  /** Refused until a component outside has done its part. */
  | 'pending'
  /** A permit plugin delays the binding. */
  | 'wait'
  /** The plugin failed. */
  | 'error';

// A plugin may be loaded with a second copy of this module: its statuses are recognized as well.
const brand = Symbol.for('annex.scheduler.status');

/** The result of a plugin that does not accept a Pod, or a Pod on a node. Shared: plugins create them once. */
export class Status {
  readonly code: StatusCode;
  readonly reasons: readonly string[];
  /** The plugin; set by the profile that runs it. */
  plugin: string;

  static {
    Object.defineProperty(this.prototype, brand, { value: true });
  }

  static [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && brand in value;
  }

  constructor(code: StatusCode, reasons: readonly string[], plugin = '') {
    this.code = code;
    this.reasons = reasons;
    this.plugin = plugin;
  }

  get message(): string {
    return this.reasons.join(', ');
  }

  /** True if the Pod is refused; false for errors. */
  get isRejection(): boolean {
    return this.code === 'unschedulable' || this.code === 'unresolvable' || this.code === 'pending';
  }
}

export const unschedulable = (...reasons: string[]): Status => new Status('unschedulable', reasons);
export const unresolvable = (...reasons: string[]): Status => new Status('unresolvable', reasons);
export const failed = (reason: string): Status => new Status('error', [reason]);

/** An error that ends a scheduling cycle: the Pod is retried after its backoff. */
export class CycleError extends Error {}
