import type { KubeObject } from '@annex/machinery';
import { type AdmissionAttributes, copyInSlices, equalInSlices, memoryOf } from '@annex/server';

/**
 * The state of a mutating plugin for one request: which webhooks or policies to invoke again after later
 * changes of the object.
 */
export class ReinvocationRound {
  /** Invoked, and eligible for a second invocation. */
  readonly #willing = new Set<string>();
  /** Selected for the second invocation. */
  readonly #due = new Set<string>();
  #last: KubeObject | undefined;

  /** Returns the state of a plugin for a request. */
  static of(plugin: string, attributes: AdmissionAttributes): ReinvocationRound {
    const memory = memoryOf(attributes);
    let round = memory.get(plugin) as ReinvocationRound | undefined;
    if (round === undefined) memory.set(plugin, (round = new ReinvocationRound()));
    return round;
  }

  /** Begins a round. Before the second one, other plugins may have changed the object. */
  async begin({ object, reinvocation }: AdmissionAttributes): Promise<void> {
    if (reinvocation.again && this.#willing.size > 0 && !(await equalInSlices(this.#last, object)))
      this.#makeDue();
  }

  async end({ object }: AdmissionAttributes): Promise<void> {
    // Only a second invocation compares: most objects are not copied.
    if (this.#willing.size > 0) this.#last = object && (await copyInSlices(object));
  }

  /** Returns false for a webhook or policy that is not invoked in this round. */
  calls(id: string, { reinvocation }: AdmissionAttributes): boolean {
    return !reinvocation.again || this.#due.has(id);
  }

  /** Records an invocation: whether it changed the object, and whether it may be repeated. */
  called(id: string, attributes: AdmissionAttributes, changed: boolean, policy: string | undefined): void {
    if (changed) this.changed(attributes);
    if (policy === 'IfNeeded') this.#willing.add(id);
  }

  /** Selects all eligible webhooks or policies that ran before for a second invocation. */
  changed({ reinvocation }: AdmissionAttributes): void {
    this.#makeDue();
    reinvocation.requested = true;
  }

  #makeDue(): void {
    for (const id of this.#willing) this.#due.add(id);
    this.#willing.clear();
  }
}
