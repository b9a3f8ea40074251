import type { JsonValue } from '@annex/machinery';
import { type Check, Outcome } from './check.ts';

/** The junctors of a schema with compiled branches. */
export interface Junctors {
  anyOf: readonly Check[];
  oneOf: readonly Check[];
  allOf: readonly Check[];
  not: Check | undefined;
}

/** Checks the junctors; also reports the errors of the branch with the most matches. */
export function junctorCheck({ anyOf, oneOf, allOf, not }: Junctors): Check | undefined {
  const tests: Check[] = [];
  if (anyOf.length > 0) tests.push(anyOfCheck(anyOf));
  if (oneOf.length > 0) tests.push(oneOfCheck(oneOf));
  if (allOf.length > 0) tests.push(allOfCheck(allOf));
  if (not !== undefined) tests.push(notCheck(not));
  if (tests.length === 0) return undefined;
  return (value, path, out) => {
    let ok = true;
    for (const test of tests) {
      if (!ok && out === undefined) return false;
      ok = test(value, path, out) && ok;
    }
    return ok;
  };
}

interface Branch {
  valid: boolean;
  outcome: Outcome;
}

function runBranch(check: Check, value: JsonValue, path: string): Branch {
  const outcome = new Outcome();
  return { valid: check(value, path, outcome), outcome };
}

/** Returns the first branch with the most matches. */
function bestOf(branches: readonly Branch[]): Outcome | undefined {
  let best: Outcome | undefined;
  for (const { outcome } of branches) {
    if (best === undefined || outcome.matches > best.matches) best = outcome;
  }
  return best;
}

const isValid = (check: Check, value: JsonValue): boolean => check(value, '');

function anyOfCheck(branches: readonly Check[]): Check {
  return (value, path, out) => {
    if (out === undefined) return branches.some((branch) => isValid(branch, value));
    const results: Branch[] = [];
    for (const branch of branches) {
      const result = runBranch(branch, value, path);
      if (result.valid) {
        out.merge(result.outcome);
        return true;
      }
      results.push(result);
    }
    out.failWhole(`${JSON.stringify(path)} must validate at least one schema (anyOf)`);
    const best = bestOf(results);
    if (best) out.merge(best);
    return false;
  };
}

function oneOfCheck(branches: readonly Check[]): Check {
  return (value, path, out) => {
    if (out === undefined) {
      let valid = 0;
      for (const branch of branches) if (isValid(branch, value) && ++valid > 1) return false;
      return valid === 1;
    }
    const results = branches.map((branch) => runBranch(branch, value, path));
    const valid = results.filter((result) => result.valid);
    if (valid.length === 1) {
      out.merge((valid[0] as Branch).outcome);
      return true;
    }
    const found = valid.length === 0 ? 'Found none valid' : `Found ${valid.length} valid alternatives`;
    out.failWhole(`${JSON.stringify(path)} must validate one and only one schema (oneOf). ${found}`);
    const best = valid.length === 0 ? bestOf(results) : undefined;
    if (best) out.merge(best);
    return false;
  };
}

function allOfCheck(branches: readonly Check[]): Check {
  return (value, path, out) => {
    if (out === undefined) return branches.every((branch) => isValid(branch, value));
    let valid = 0;
    for (const branch of branches) {
      const result = runBranch(branch, value, path);
      if (result.valid) valid++;
      out.merge(result.outcome);
    }
    if (valid === branches.length) return true;
    const none = valid === 0 ? '. None validated' : '';
    return out.failWhole(`${JSON.stringify(path)} must validate all the schemas (allOf)${none}`);
  };
}

function notCheck(branch: Check): Check {
  return (value, path, out) => {
    if (!isValid(branch, value)) return true;
    return out ? out.failWhole(`${JSON.stringify(path)} must not validate the schema (not)`) : false;
  };
}
