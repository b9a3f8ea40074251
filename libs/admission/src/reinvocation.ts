import { deepCopy, deepEqual, type KubeObject } from '@annex/machinery';
import { type AdmissionAttributes, memoryOf } from '@annex/server';

/**
 * What a mutating plugin remembers of those it calls, over both rounds of a request: who wants to be called again once others have
 * changed the object.
 */
export class ReinvocationRound {
  /** Called, and willing to be called again. */
  readonly #willing = new Set<string>();
  /** To be called in the second round. */
  readonly #due = new Set<string>();
  #last: KubeObject | undefined;

  /** The one of a plugin and a request. */
  static of(plugin: string, attributes: AdmissionAttributes): ReinvocationRound {
    const memory = memoryOf(attributes);
    let round = memory.get(plugin) as ReinvocationRound | undefined;
    if (round === undefined) memory.set(plugin, (round = new ReinvocationRound()));
    return round;
  }

  /** Begins a round: in the second one, others may have changed the object in between. */
  begin({ object, reinvocation }: AdmissionAttributes): void {
    if (reinvocation.again && !deepEqual(this.#last, object)) this.#makeDue();
  }

  end({ object }: AdmissionAttributes): void {
    this.#last = object && deepCopy(object);
  }

  /** False for who is not to be called in this round. */
  calls(id: string, { reinvocation }: AdmissionAttributes): boolean {
    return !reinvocation.again || this.#due.has(id);
  }

  /** Notes a call, whether it changed the object, and whether it may be repeated. */
  called(id: string, attributes: AdmissionAttributes, changed: boolean, policy: string | undefined): void {
    if (changed) this.changed(attributes);
    if (policy === 'IfNeeded') this.#willing.add(id);
  }

  /** Makes all that were called before, and are willing, be called again. */
  changed({ reinvocation }: AdmissionAttributes): void {
    this.#makeDue();
    reinvocation.requested = true;
  }

  #makeDue(): void {
    for (const id of this.#willing) this.#due.add(id);
    this.#willing.clear();
  }
}
