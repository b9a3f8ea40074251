import { RE2JS, RE2JSException } from 're2js';
import { fail } from '../errors.ts';

/** Regular expressions that are kept compiled. */
export const maxCelPatterns = 256;

/**
 * Characters of one regular expression. RE2 has no such limit but one for its program; a megabyte takes seconds and 200 MiB to
 * compile, and objects may hold the patterns that rules match.
 */
export const maxPatternLength = 64 * 1024;

/** Characters of a regular expression that is kept: a large one is compiled each time, instead of filling the memory. */
export const maxKeptPatternLength = 4096;

const cache = new Map<string, RE2JS>();

/** Go's words for an expression whose program would be too large. */
export const patternTooLarge = 'error parsing regexp: expression too large';

/** A regular expression of RE2, which takes linear time; an error when it does not compile. */
export function compilePattern(pattern: string): RE2JS {
  const known = cache.get(pattern);
  if (known) return known;
  if (pattern.length > maxPatternLength) return fail(patternTooLarge);
  try {
    const compiled = RE2JS.compile(pattern);
    if (pattern.length > maxKeptPatternLength || /\{\d*,?\d{3}/.test(pattern)) return compiled;
    if (cache.size >= maxCelPatterns) cache.delete(cache.keys().next().value!);
    cache.set(pattern, compiled);
    return compiled;
  } catch (error) {
    if (error instanceof RE2JSException) return fail(error.message);
    throw error;
  }
}
