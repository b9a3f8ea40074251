import type { Passes } from '@annex/machinery';
import { Failure } from '../errors.ts';
import type { Value } from '../values/value.ts';
import { iterate } from '../values/container.ts';
import { attempt } from './step.ts';
import type { Code, Frame, Slot } from './frame.ts';

/**
 * What an evaluation in passes has computed in a scope: the expression, or one iteration of a fold. Each pass starts at the root, and
 * takes from here what is known. The keys represent nodes.
 */
export type Known = Map<object, Outcome | FoldState | Passes<Value>>;

/** The value or error of a node, and its cost. */
interface Outcome {
  readonly outcome: Value | Failure;
  readonly cost: number;
}

/** A fold at the beginning of an iteration. */
export class FoldState {
  readonly over: Value;
  readonly items: readonly Value[];
  next = 0;
  /** What is known of the next iteration. */
  readonly known: Known = new Map();
  #slots: readonly Slot[];
  #cost: number;

  /** Begins a fold over a list or a map; `before` is the cost before its range was evaluated. */
  constructor(over: Value, frame: Frame, before: number) {
    this.over = over;
    this.items = iterate(over);
    this.#slots = [...frame.slots];
    this.#cost = frame.cost - before;
  }

  /** Ends an iteration; `before` is the cost before the fold. */
  advance(frame: Frame, before: number, continues: boolean): void {
    this.next = continues ? this.next + 1 : Infinity;
    this.known.clear();
    this.#slots = [...frame.slots];
    this.#cost = frame.cost - before;
  }

  /** Continues the fold in another pass. */
  restore(frame: Frame): void {
    frame.cost += this.#cost;
    for (const [i, slot] of this.#slots.entries()) frame.slots[i] = slot;
  }
}

/** Outcomes that cost less are computed again in each pass. */
const keptCost = 50;

/** Evaluates a node at most once in its scope. */
export function once(code: Code, frame: Frame): Value {
  const known = frame.known!;
  const earlier = known.get(code) as Outcome | undefined;
  if (earlier !== undefined) {
    frame.cost += earlier.cost;
    return valueOf(earlier.outcome);
  }
  const before = frame.cost;
  const outcome = attempt(code, frame);
  frame.known = known;
  const cost = frame.cost - before;
  if (cost >= keptCost) known.set(code, { outcome, cost });
  return valueOf(outcome);
}

function valueOf(outcome: Value | Failure): Value {
  if (outcome instanceof Failure) throw outcome;
  return outcome;
}
