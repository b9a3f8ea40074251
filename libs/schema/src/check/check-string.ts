import { isLongSearch, maxPatternLength, patternTooLarge } from '@annex/cel';
import { type FieldError, type FieldPath, type JsonObject, fieldErrors } from '@annex/machinery';
import { RE2JS } from 're2js';
import { type Check, checkOf } from './check.ts';
import { stringFormat } from './formats.ts';
import { longSearch } from './long-searches.ts';

/**
 * Checks a string; reports only the first failure. `maxLength` and `minLength` count characters; `pattern` is an unanchored
 * RE2 search.
 */
export function stringCheck(limits: { maxLength?: number; minLength?: number; pattern?: string }): Check {
  const max = limits.maxLength ?? Infinity;
  const min = limits.minLength ?? 0;
  const pattern = limits.pattern === undefined || limits.pattern === '' ? undefined : limits.pattern;
  const matches = pattern === undefined ? undefined : patternTest(pattern);
  return checkOf((value, path, out) => {
    if (typeof value !== 'string') return true;
    if (value.length > max && characters(value) > max) {
      const text = `${path} in body should be at most ${max} chars long`;
      return out
        ? out.fail(text, path, 'FieldValueTooLong', '', fieldErrors.tooLong('', '', max).detail)
        : false;
    }
    if (value.length < min * 2 && characters(value) < min) {
      const text = `${path} in body should be at least ${min} chars long`;
      return out ? out.fail(text, path, 'FieldValueInvalid', value) : false;
    }
    if (matches === undefined || matches(value) === true) return true;
    if (out === undefined) return false;
    const text = `${path} in body should match '${pattern}${brokenPattern(matches(value))}'`;
    return out.fail(text, path, 'FieldValueInvalid', value);
  });
}

const brokenPattern = (found: boolean | string): string =>
  typeof found === 'string' ? `, but pattern is invalid: ${found}` : '';

function characters(text: string): number {
  let count = text.length;
  for (let i = 1; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0xdc00 && unit <= 0xdfff) count--;
  }
  return count;
}

/**
 * Returns a search for a pattern, which is compiled on first use. The result is the compiler's error message if the pattern
 * is invalid.
 */
function patternTest(pattern: string): (text: string) => boolean | string {
  let compiled: RE2JS | string | undefined;
  // Most strings of an object are unchanged between writes. A search costs a thousand times as much as a lookup.
  const matched = new Set<string>();
  return (text) => {
    if (matched.has(text)) return true;
    compiled ??= compileSchemaPattern(pattern);
    if (typeof compiled === 'string') return compiled;
    if (isLongSearch(compiled, text)) return longSearch(compiled, text);
    const matches = compiled.test(text);
    if (matches && text.length <= maxCachedMatchLength) {
      if (matched.size >= 16) matched.clear();
      matched.add(text);
    }
    return matches;
  };
}

/** The maximum length of a string in the cache of matches, in UTF-16 code units. */
export const maxCachedMatchLength = 128;

// Every version of a CRD contains the same patterns; they are used for checking the CRD and its objects.
const patterns = new Map<string, RE2JS | string>();
/** The maximum number of cached regular expressions of schemas. */
export const maxSchemaPatterns = 2000;

/** Compiles a regular expression with RE2 semantics; returns Go's error message if it is invalid. */
export function compileSchemaPattern(pattern: string): RE2JS | string {
  const known = patterns.get(pattern);
  if (known !== undefined) return known;
  if (patterns.size >= maxSchemaPatterns) patterns.clear();
  const made = tryCompile(pattern);
  patterns.set(pattern, made);
  return made;
}

function tryCompile(pattern: string): RE2JS | string {
  if (pattern.length > maxPatternLength) return patternTooLarge;
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    return (error as Error).message;
  }
}

/** Returns an error if the `pattern` of a schema is not a valid regular expression. */
export function checkPattern(schema: JsonObject, path: FieldPath): FieldError[] {
  const { pattern } = schema;
  const compiled = typeof pattern === 'string' ? compileSchemaPattern(pattern) : undefined;
  if (typeof compiled !== 'string') return [];
  const detail = `must be a valid regular expression, but isn't: ${compiled}`;
  return [fieldErrors.invalid(path.child('pattern'), pattern, detail)];
}

/** Returns the check of a `format`; `undefined` if kube-apiserver does not recognize it. */
export function formatCheck(format: string): Check | undefined {
  const isValid = stringFormat(format);
  if (isValid === undefined) return undefined;
  return checkOf((value, path, out) => {
    if (typeof value !== 'string' || isValid(value)) return true;
    if (out === undefined) return false;
    const text = `${path} in body must be of type ${format}: ${JSON.stringify(value)}`;
    return out.fail(text, path, 'FieldValueTypeInvalid', value);
  });
}
