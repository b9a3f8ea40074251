import { baseCosts } from '../costs/factors.ts';
import { fail, Failure } from '../errors.ts';
import { isList, isMap, iterate, mapFind } from '../values/container.ts';
import { runtimeType } from '../values/kind.ts';
import type { Value } from '../values/value.ts';
import { attempt, type OutcomeCode } from './step.ts';
import type { Code, Frame } from './frame.ts';
import { FoldState, type Known } from './known.ts';

/** The compiled parts of a fold. */
export interface CompiledFold {
  readonly range: Code;
  /** Computes the initial accumulator. */
  readonly init: Code;
  /** The loop condition; undefined if the loop always continues. */
  readonly condition: OutcomeCode | undefined;
  readonly step: OutcomeCode;
  readonly result: Code;
  /** The slot of the accumulator; the other slots follow. */
  readonly accumulator: number;
  readonly first: number;
  readonly second?: number;
}

/** Compiles a fold: iterates over the range, then evaluates the result. */
export function foldCode(fold: CompiledFold): Code {
  const { result } = fold;
  const each = fold.second === undefined ? elementwise(fold) : pairwise(fold, fold.second);
  return (frame) => {
    if (frame.known !== undefined) return foldInPasses(fold, frame, frame.known);
    each(begin(fold, frame), frame);
    return result(frame);
  };
}

/** Returns the range after assigning the initial accumulator. */
function begin({ range, init, accumulator, second }: CompiledFold, frame: Frame): Value {
  const over = range(frame);
  if (!isList(over) && !isMap(over)) return notIterable(over, second !== undefined);
  frame.slots[accumulator] = attempt(init, frame);
  return over;
}

/** Continues the fold where an earlier pass ended. */
function foldInPasses(fold: CompiledFold, frame: Frame, known: Known): Value {
  const { condition, step, result, accumulator } = fold;
  const before = frame.cost;
  let state = known.get(fold) as FoldState | undefined;
  if (state === undefined) {
    const over = begin(fold, frame);
    state = new FoldState(over, frame, before);
    known.set(fold, state);
  } else state.restore(frame);
  frame.known = state.known;
  for (let i = state.next; i < state.items.length; i = state.next) {
    frame.checkCost();
    assign(fold, state, i, frame);
    const continues = !condition || condition(frame) !== false;
    if (continues) frame.slots[accumulator] = step(frame);
    state.advance(frame, before, continues);
  }
  frame.known = known;
  return result(frame);
}

function assign({ first, second }: CompiledFold, { over, items }: FoldState, i: number, frame: Frame): void {
  const { slots } = frame;
  const ofList = second === undefined || isList(over);
  slots[first] = second === undefined || !ofList ? items[i]! : i;
  if (second !== undefined) slots[second] = ofList ? items[i]! : mapFind(over, items[i]!);
}

/** Iterates with one variable: the elements of a list or the keys of a map. */
function elementwise({ condition, step, accumulator, first }: CompiledFold) {
  return (over: Value, frame: Frame): void => {
    const { slots } = frame;
    for (const item of iterate(over)) {
      frame.checkCost();
      slots[first] = item;
      if (condition && condition(frame) === false) return;
      slots[accumulator] = step(frame);
    }
  };
}

/** Iterates with two variables: the indices and elements of a list or the entries of a map. */
function pairwise({ condition, step, accumulator, first }: CompiledFold, second: number) {
  return (over: Value, frame: Frame): void => {
    const { slots } = frame;
    const ofList = isList(over);
    const items = iterate(over);
    for (let i = 0; i < items.length; i++) {
      frame.checkCost();
      slots[first] = ofList ? i : items[i]!;
      slots[second] = ofList ? items[i]! : mapFind(over, items[i]!);
      if (condition && condition(frame) === false) return;
      slots[accumulator] = step(frame);
    }
  };
}

/** Compiles `accumulator + [element]` as an append in place, at the cost of a variable, a list and a concatenation. */
export function appending(slot: number, element: Code): Code {
  const cost = baseCosts.access + baseCosts.list + 1;
  return (frame) => {
    frame.cost += cost;
    const list = frame.slots[slot];
    if (list instanceof Failure) {
      attempt(element, frame);
      throw list;
    }
    const value = element(frame);
    (list as Value[]).push(value);
    return list as Value[];
  };
}

function notIterable(value: Value, two: boolean): never {
  const { name } = runtimeType(value);
  const type = goTypes.get(name) ?? name;
  return fail(
    two ? `unsupported comprehension range type: ${type}` : `got '${type}', expected iterable type`,
  );
}

/** The names that error messages use for types that cannot be iterated. */
const goTypes = new Map([
  ['bool', 'types.Bool'],
  ['bytes', 'types.Bytes'],
  ['double', 'types.Double'],
  ['google.protobuf.Duration', 'types.Duration'],
  ['google.protobuf.Timestamp', 'types.Timestamp'],
  ['int', 'types.Int'],
  ['null_type', 'types.Null'],
  ['optional_type', '*types.Optional'],
  ['string', 'types.String'],
  ['type', '*types.Type'],
  ['uint', 'types.Uint'],
]);
