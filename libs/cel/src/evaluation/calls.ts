import type { Passes } from '@annex/machinery';
import { Failure } from '../errors.ts';
import { standardCosts } from '../costs/standard-costs.ts';
import type { FunctionDeclaration, Overload } from '../typing/declarations.ts';
import type { CelType } from '../typing/type.ts';
import type { Value } from '../values/value.ts';
import { attempt, failureOf } from './step.ts';
import { alwaysMatches, type CallImplementation, dispatcher } from './dispatch.ts';
import type { Code, Frame } from './frame.ts';
import { once } from './known.ts';
import { LongCall } from './long-call.ts';
import type { Step } from './step.ts';

/** A call of a function, with its candidate overloads and static types. */
export interface ResolvedCall {
  readonly declared: FunctionDeclaration;
  /** The overloads that the call can resolve to. */
  readonly candidates: readonly Overload[];
  readonly args: readonly Step[];
  readonly types: readonly (CelType | undefined)[];
}

/** Returns the cost of a call that does not always cost one unit. */
type Measure = (args: readonly Value[], result: Value) => number;

/** Compiles a call: evaluate the arguments, call the implementation, add the cost. */
export function callCode(resolved: ResolvedCall, grow?: CallImplementation): Code {
  const prepared = grow ?? preparedCall(resolved);
  const call = prepared ?? implementationOf(resolved);
  const args = resolved.args.map(({ code }) => code);
  const measure = measureOf(resolved);
  const stops = args.length > 2 || (prepared && !grow) || stopsAtErrors(resolved);
  if (stops && args.length > 0) return longCall(args, call, measure);
  if (measure) return measured(args, call, measure);
  const [a, b] = args;
  return b ? unitCall2(a!, b, call) : a ? unitCall1(a, call) : unitCall0(call);
}

/**
 * Returns true if an error in one argument skips the remaining ones: calls dispatched at run time, and overloads that
 * declare it.
 */
function stopsAtErrors({ declared, candidates }: ResolvedCall): boolean {
  if (candidates.length === 1) return candidates[0]!.stopsAtErrors ?? false;
  return declared.overloads.length > 1 && declared.mismatch === undefined;
}

function preparedCall({ declared, candidates, args, types }: ResolvedCall): CallImplementation | undefined {
  const only = candidates.length === 1 ? candidates[0] : undefined;
  const prepared = only?.prepare?.(args.map(({ constant }) => constant));
  if (!only || !prepared || alwaysMatches(only, types)) return prepared as CallImplementation | undefined;
  return dispatcher(declared, [{ ...only, call: prepared }]);
}

function implementationOf({ declared, candidates, types }: ResolvedCall): CallImplementation {
  const [only] = candidates;
  const fits = candidates.length === 1 && only?.call && alwaysMatches(only, types);
  return fits ? (only.call as CallImplementation) : dispatcher(declared, candidates);
}

function unitCall0(call: CallImplementation): Code {
  return (frame) => (frame.cost++, call());
}

function unitCall1(a: Code, call: CallImplementation): Code {
  return (frame) => {
    frame.cost++;
    return call(a(frame));
  };
}

function unitCall2(a: Code, b: Code, call: CallImplementation): Code {
  return (frame) => {
    frame.cost++;
    let left;
    try {
      left = a(frame);
    } catch (error) {
      return failAfter(failureOf(error), b, frame);
    }
    return call(left, b(frame));
  };
}

/** Evaluates the other argument, so that its cost is added, then throws. */
function failAfter(failure: Failure, other: Code, frame: Frame): never {
  attempt(other, frame);
  throw failure;
}

/** A call of up to two arguments: all are evaluated, and the call is charged even if one of them fails. */
function measured(args: readonly Code[], call: CallImplementation, measure: Measure): Code {
  return onceInPasses((frame) => {
    const values: Value[] = [];
    let failure: Failure | undefined;
    for (const arg of args) {
      const value = attempt(arg, frame);
      if (value instanceof Failure) failure ??= value;
      values.push(value instanceof Failure ? null : value);
    }
    return failure
      ? pay(failure, values, measure, frame)
      : pay(attemptCall(call, values, args, frame), values, measure, frame);
  });
}

/**
 * A call of three or more arguments ends at the first error. The call is charged only if the last argument is the one that
 * fails.
 */
function longCall(args: readonly Code[], call: CallImplementation, measure: Measure = () => 1): Code {
  return onceInPasses((frame) => {
    const values: Value[] = [];
    for (const arg of args) {
      const value = attempt(arg, frame);
      if (!(value instanceof Failure)) values.push(value);
      else if (values.length < args.length - 1) throw value;
      else return pay(value, [...values, null], measure, frame);
    }
    return pay(attemptCall(call, values, args, frame), values, measure, frame);
  });
}

/** Returns the code of a call that can be expensive: it is not repeated in later passes. */
function onceInPasses(code: Code): Code {
  return (frame) => (frame.known === undefined ? code(frame) : once(code, frame));
}

/** Adds the cost of a call, then returns its value or throws its error. */
function pay(result: Value | Failure, values: readonly Value[], measure: Measure, frame: Frame): Value {
  const failed = result instanceof Failure;
  frame.cost += measure(values, failed ? null : result);
  frame.checkLimit();
  if (failed) throw result;
  return result;
}

/** Calls an implementation. `node` represents the call among what is known in this scope. */
function attemptCall(
  call: CallImplementation,
  values: readonly Value[],
  node: object,
  frame: Frame,
): Value | Failure {
  try {
    const work = frame.known?.get(node) as Passes<Value> | undefined;
    return work === undefined ? call(...values) : frame.finish(work);
  } catch (error) {
    return error instanceof LongCall ? begin(error.work, node, frame) : failureOf(error);
  }
}

function begin(work: Passes<Value>, node: object, frame: Frame): Value | Failure {
  frame.known?.set(node, work);
  return attempt(() => frame.finish(work), frame);
}

/** Selects the cost of the overload, else of the function, else of the language. */
function measureOf({ declared, candidates }: ResolvedCall): Measure | undefined {
  const overload = candidates.length === 1 ? candidates[0] : undefined;
  const id = overload?.id ?? '';
  const own = overload?.cost?.actual;
  const shared = declared.cost?.actual;
  const standard = standardCosts.get(id);
  if (!own && !shared) return standard;
  return (args, result) =>
    own?.(args, result, id) ?? shared?.(args, result, id) ?? standard?.(args, result) ?? 1;
}
