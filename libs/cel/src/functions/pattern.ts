import { RE2JS, RE2JSException } from 're2js';
import { fail } from '../errors.ts';

const maxCached = 256;
const cache = new Map<string, RE2JS>();

/** A regular expression of RE2, which takes linear time; an error when it does not compile. */
export function compilePattern(pattern: string): RE2JS {
  const known = cache.get(pattern);
  if (known) return known;
  try {
    const compiled = RE2JS.compile(pattern);
    if (cache.size >= maxCached) cache.delete(cache.keys().next().value!);
    cache.set(pattern, compiled);
    return compiled;
  } catch (error) {
    if (error instanceof RE2JSException) return fail(error.message);
    throw error;
  }
}
