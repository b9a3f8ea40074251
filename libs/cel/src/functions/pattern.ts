import { RE2JS, RE2JSException } from 're2js';
import { fail } from '../errors.ts';

/** The maximum number of compiled regular expressions in the cache. */
export const maxCelPatterns = 256;

/**
 * The maximum length of a regular expression, in characters. RE2 limits only the size of its program. Compiling a megabyte
 * takes seconds and 200 MiB, and objects can contain patterns that rules use.
 */
export const maxPatternLength = 64 * 1024;

/** The maximum length of a cached regular expression, in characters; a longer one is compiled on each use to bound memory. */
export const maxKeptPatternLength = 4096;

const cache = new Map<string, RE2JS>();

/** Go's error message for an expression whose program is too large. */
export const patternTooLarge = 'error parsing regexp: expression too large';

/** Compiles a regular expression with RE2, which runs in linear time; fails if it is invalid. */
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
