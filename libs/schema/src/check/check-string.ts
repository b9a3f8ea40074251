import { maxPatternLength, patternTooLarge } from '@annex/cel';
import { type FieldError, type FieldPath, type JsonObject, fieldErrors } from '@annex/machinery';
import { RE2JS } from 're2js';
import type { Check } from './check.ts';
import { stringFormat } from './formats.ts';

/** `maxLength` and `minLength` count characters, `pattern` is RE2 and searched for; only the first failure is reported. */
export function stringCheck(limits: { maxLength?: number; minLength?: number; pattern?: string }): Check {
  const max = limits.maxLength ?? Infinity;
  const min = limits.minLength ?? 0;
  const pattern = limits.pattern === undefined || limits.pattern === '' ? undefined : limits.pattern;
  const matches = pattern === undefined ? undefined : patternTest(pattern);
  return (value, path, out) => {
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
  };
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

/** Searches for a pattern, which is compiled on first use; gives the compiler's words where it cannot be. */
function patternTest(pattern: string): (text: string) => boolean | string {
  let compiled: RE2JS | string | undefined;
  // An object is written many times, and little of it changes: a search costs a thousand times as much as to remember it.
  const matched = new Set<string>();
  return (text) => {
    if (matched.has(text)) return true;
    compiled ??= compilePattern(pattern);
    if (typeof compiled === 'string') return compiled;
    const matches = compiled.test(text);
    if (matches && text.length <= maxRememberedMatchLength) {
      if (matched.size >= 16) matched.clear();
      matched.add(text);
    }
    return matches;
  };
}

/** The longest text that is remembered to match. */
export const maxRememberedMatchLength = 128;

// The same patterns stand in every version of a CRD, and are met when it is checked and when objects are.
const patterns = new Map<string, RE2JS | string>();
/** Regular expressions of schemas that are kept compiled. */
export const maxSchemaPatterns = 2000;

/** Compiles a regular expression with RE2 semantics; a string is the reason why it cannot be, in Go's words. */
export function compilePattern(pattern: string): RE2JS | string {
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

/** The error of a schema whose `pattern` is no regular expression. */
export function checkPattern(schema: JsonObject, path: FieldPath): FieldError[] {
  const { pattern } = schema;
  const compiled = typeof pattern === 'string' ? compilePattern(pattern) : undefined;
  if (typeof compiled !== 'string') return [];
  const detail = `must be a valid regular expression, but isn't: ${compiled}`;
  return [fieldErrors.invalid(path.child('pattern'), pattern, detail)];
}

/** Checks a `format` that kube knows; `undefined` where it does not. */
export function formatCheck(format: string): Check | undefined {
  const isValid = stringFormat(format);
  if (isValid === undefined) return undefined;
  return (value, path, out) => {
    if (typeof value !== 'string' || isValid(value)) return true;
    if (out === undefined) return false;
    const text = `${path} in body must be of type ${format}: ${JSON.stringify(value)}`;
    return out.fail(text, path, 'FieldValueTypeInvalid', value);
  };
}
