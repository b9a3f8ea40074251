import type { RE2JS } from 're2js';
import { fail, Failure } from '../errors.ts';
import { workInPasses } from '../evaluation/long-call.ts';
import { compilePattern } from '../functions/pattern.ts';
import type { Library } from '../functions/library.ts';
import { findAllInPasses, findInPasses, isLongSearch } from '../regex/search.ts';
import { member } from '../typing/declare.ts';
import type { Overload } from '../typing/declarations.ts';
import { type CelType, listType, types } from '../typing/type.ts';
import type { Value } from '../values/value.ts';
import { costing, patternSearch } from './call-costs.ts';

const { int, string } = types;

type Search = (pattern: RE2JS, text: string, limit?: number | bigint) => Value;

/** Declares an overload that compiles a constant pattern once. */
function searching(id: string, more: readonly CelType[], result: CelType, search: Search): Overload {
  const call = (text: string, pattern: string, limit?: number | bigint) =>
    search(compileWhenCalled(pattern), text, limit);
  return {
    ...member(id, [string, string, ...more], result, call),
    prepare([, pattern]) {
      if (typeof pattern !== 'string') return undefined;
      const compiled = compilePattern(pattern);
      return (text: string, _: string, limit?: number | bigint) => search(compiled, text, limit);
    },
  };
}

function compileWhenCalled(pattern: string): RE2JS {
  try {
    return compilePattern(pattern);
  } catch (error) {
    if (error instanceof Failure) return fail(`Illegal regex: ${error.message}`);
    throw error;
  }
}

/** The search functions of patterns. https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-regex-library */
export const regexLibrary: Library = {
  name: 'kubernetes.regex',
  functions: [
    costing(patternSearch, 'find', searching('string_find_string', [], string, find)),
    costing(
      patternSearch,
      'findAll',
      searching('string_find_all_string', [], listType(string), findAll),
      searching('string_find_all_string_int', [int], listType(string), findAll),
    ),
  ],
};

function find(pattern: RE2JS, text: string): string {
  if (isLongSearch(pattern, text)) return workInPasses(findInPasses(pattern, text));
  const matcher = pattern.matcher(text);
  return matcher.find() ? (matcher.group() ?? '') : '';
}

/** Returns up to `limit` matches in order; omits an empty match directly after another match. */
function findAll(pattern: RE2JS, text: string, limit: number | bigint = -1): string[] {
  if (isLongSearch(pattern, text)) return workInPasses(findAllInPasses(pattern, text, limit));
  const matcher = pattern.matcher(text);
  const found: string[] = [];
  let end = -1;
  while ((limit < 0 || found.length < limit) && matcher.find()) {
    const match = matcher.group() ?? '';
    if (match !== '' || matcher.start() !== end) found.push(match);
    end = matcher.end();
  }
  return found;
}
