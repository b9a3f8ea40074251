import { countParts, type JsonValue, type Passes } from '@annex/machinery';
import { type Check, Outcome } from './check.ts';
import { attemptInPass, isPassOver } from './check-work.ts';
import type { Correlation } from './correlation.ts';

/** The junctors of a schema with compiled branches. */
export interface Junctors {
  anyOf: readonly Check[];
  oneOf: readonly Check[];
  allOf: readonly Check[];
  not: Check | undefined;
}

/** Checks the junctors; also reports the errors of the branch with the most matches. */
export function junctorCheck({ anyOf, oneOf, allOf, not }: Junctors): Check | undefined {
  const checks: Check[] = [];
  if (anyOf.length > 0) checks.push(anyOfCheck(anyOf));
  if (oneOf.length > 0) checks.push(oneOfCheck(oneOf));
  if (allOf.length > 0) checks.push(allOfCheck(allOf));
  if (not !== undefined) checks.push(notCheck(not));
  if (checks.length < 2) return checks[0];
  return {
    accepts: (value) => checks.every((check) => check.accepts(value)),
    *report(value, path, out) {
      let ok = true;
      for (const check of checks) ok = (yield* reported(check, value, path, out)) && ok;
      return ok;
    },
  };
}

/** A value of no more parts is accepted at once if it is valid. */
const smallParts = 20;

/** Reports the failures of one check, as a part of passes. */
export function* reported(
  check: Check,
  value: JsonValue,
  path: string,
  out: Outcome,
  old?: Correlation,
): Passes<boolean> {
  if (isPassOver()) yield;
  const isSmall = !out.isBranch && countParts(value, smallParts) <= smallParts;
  if (isSmall && attemptInPass(() => check.accepts(value)) === true) return true;
  const valid = check.report(value, path, out, old);
  return typeof valid === 'boolean' ? valid : yield* valid;
}

/**
 * Returns whether from `least` to `most` branches accept a value, in passes. False means unknown: a report needs the outcome of each branch,
 * which takes ten times as long, and a branch counts the matches of its own branches.
 */
function* haveAccepted(
  branches: readonly Check[],
  value: JsonValue,
  out: Outcome,
  [least, most]: readonly [number, number],
): Passes<boolean> {
  if (out.isBranch) return false;
  let accepted = 0;
  for (const branch of branches) {
    if (isPassOver()) yield;
    const result = attemptInPass(() => branch.accepts(value));
    if (result === undefined) return false;
    if (!result) continue;
    if (++accepted > most) return false;
    // More would change nothing.
    if (accepted >= least && most === Infinity) return true;
  }
  return accepted >= least;
}

interface Branch {
  valid: boolean;
  outcome: Outcome;
}

function* runBranch(check: Check, value: JsonValue, path: string): Passes<Branch> {
  const outcome = new Outcome(true);
  return { valid: yield* reported(check, value, path, outcome), outcome };
}

/** Returns the one with more matches, the first of two with as many. */
const better = (first: Outcome | undefined, second: Outcome): Outcome =>
  first === undefined || second.matches > first.matches ? second : first;

function anyOfCheck(branches: readonly Check[]): Check {
  return {
    accepts: (value) => branches.some((branch) => branch.accepts(value)),
    *report(value, path, out) {
      if (yield* haveAccepted(branches, value, out, [1, Infinity])) return true;
      let best: Outcome | undefined;
      for (const branch of branches) {
        const { valid, outcome } = yield* runBranch(branch, value, path);
        if (valid) {
          out.merge(outcome);
          return true;
        }
        best = better(best, outcome);
      }
      out.failWhole(`${JSON.stringify(path)} must validate at least one schema (anyOf)`);
      if (best !== undefined) out.merge(best);
      return false;
    },
  };
}

function oneOfCheck(branches: readonly Check[]): Check {
  return {
    accepts(value) {
      let valid = 0;
      for (const branch of branches) if (branch.accepts(value) && ++valid > 1) return false;
      return valid === 1;
    },
    *report(value, path, out) {
      if (yield* haveAccepted(branches, value, out, [1, 1])) return true;
      let alternatives = 0;
      let chosen: Outcome | undefined;
      let best: Outcome | undefined;
      for (const branch of branches) {
        const { valid, outcome } = yield* runBranch(branch, value, path);
        if (!valid) best = better(best, outcome);
        else if (++alternatives === 1) chosen = outcome;
      }
      if (alternatives === 1 && chosen !== undefined) {
        out.merge(chosen);
        return true;
      }
      const found = alternatives === 0 ? 'Found none valid' : `Found ${alternatives} valid alternatives`;
      out.failWhole(`${JSON.stringify(path)} must validate one and only one schema (oneOf). ${found}`);
      if (alternatives === 0 && best !== undefined) out.merge(best);
      return false;
    },
  };
}

function allOfCheck(branches: readonly Check[]): Check {
  return {
    accepts: (value) => branches.every((branch) => branch.accepts(value)),
    *report(value, path, out) {
      if (yield* haveAccepted(branches, value, out, [branches.length, branches.length])) return true;
      let valid = 0;
      for (const branch of branches) {
        const result = yield* runBranch(branch, value, path);
        if (result.valid) valid++;
        out.merge(result.outcome);
      }
      if (valid === branches.length) return true;
      const none = valid === 0 ? '. None validated' : '';
      return out.failWhole(`${JSON.stringify(path)} must validate all the schemas (allOf)${none}`);
    },
  };
}

function notCheck(branch: Check): Check {
  return {
    accepts: (value) => !branch.accepts(value),
    *report(value, path, out) {
      const { valid } = yield* runBranch(branch, value, path);
      return valid ? out.failWhole(`${JSON.stringify(path)} must not validate the schema (not)`) : true;
    },
  };
}
