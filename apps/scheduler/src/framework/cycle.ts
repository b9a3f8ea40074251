import type { Clock } from '@annex/runtime';
import { Status } from './status.ts';

/** A plugin that delays the binding. */
export interface PermitWait {
  plugin: string;
  waitMs: number;
}

/** Names a value that a plugin keeps during a cycle. */
export class StateKey<T> {
  readonly name: string;
  /** Copies the value for what-if questions; default: the value is shared. */
  readonly clone: ((value: T) => T) | undefined;

  constructor(name: string, clone?: (value: T) => T) {
    this.name = name;
    this.clone = clone;
  }
}

/** What plugins keep while one Pod is scheduled and bound. */
export class Cycle {
  /** Plugins whose preFilter had nothing to do: their filters are not called. */
  skippedFilters: Set<string> = new Set();
  /** Plugins whose preScore had nothing to do. */
  skippedScores: Set<string> = new Set();
  /** Plugins whose preBind has nothing to do. */
  skippedPreBinds: Set<string> = new Set();
  /** Plugins that delay the binding. */
  readonly permitWaits: PermitWait[] = [];
  /** Milliseconds that the plugins of users have taken, by name; those of what-if questions included. */
  #spent = new Map<string, number>();
  readonly #ending = new AbortController();
  readonly #permits = new Map<string, () => void>();
  readonly #values = new Map<StateKey<never>, unknown>();

  read<T>(key: StateKey<T>): T | undefined {
    return this.#values.get(key as unknown as StateKey<never>) as T | undefined;
  }

  write<T>(key: StateKey<T>, value: T): void {
    this.#values.set(key as unknown as StateKey<never>, value);
  }

  /** Aborts when the Pod is deleted while it is being bound, or the scheduler stops. */
  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  abort(reason: Error): void {
    this.#ending.abort(reason);
  }

  /** Adds to the time of a plugin. Returns its sum in milliseconds. */
  spend(plugin: string, milliseconds: number): number {
    const sum = (this.#spent.get(plugin) ?? 0) + milliseconds;
    this.#spent.set(plugin, sum);
    return sum;
  }

  /** Ends the wait of a permit plugin. */
  allow(plugin: string): void {
    this.#permits.get(plugin)?.();
  }

  /** Resolves when all permit plugins allow the binding; to a refusal if one does not in its time. */
  async waitForPermits(clock: Clock): Promise<Status | undefined> {
    for (const { plugin, waitMs } of this.permitWaits) {
      const allowed = Promise.withResolvers<'allowed'>();
      this.#permits.set(plugin, () => allowed.resolve('allowed'));
      const late = clock.sleep(waitMs, this.signal).then(() => 'late' as const);
      late.catch(() => undefined);
      if ((await Promise.race([allowed.promise, late])) === 'late')
        return new Status(
          'unschedulable',
          [`rejected due to timeout after waiting ${waitMs / 1000}s at plugin ${plugin}`],
          plugin,
        );
    }
    return undefined;
  }

  /** Returns a copy for what-if questions. */
  clone(): Cycle {
    const copy = new Cycle();
    copy.#spent = this.#spent;
    copy.skippedFilters = this.skippedFilters;
    copy.skippedScores = this.skippedScores;
    for (const [key, value] of this.#values) {
      const clone = key.clone as ((value: unknown) => unknown) | undefined;
      copy.#values.set(key, clone === undefined ? value : clone(value));
    }
    return copy;
  }
}
