import type { Passes } from '@annex/machinery';
import type { RE2JS } from 're2js';
import { testByAutomaton } from './automaton.ts';
import { ThreadSearch } from './threads.ts';

/** A search of less work, in instructions of the pattern for each character, is one call of re2js, which takes a few milliseconds at most. */
export const undividedSearch = 100_000;

/** Returns whether a search is so long that it is divided into passes. */
export const isLongSearch = (pattern: RE2JS, text: string): boolean =>
  text.length * pattern.programSize() > undividedSearch;

/** Returns whether a text has a match, in passes. */
export function* testInPasses(pattern: RE2JS, text: string): Passes<boolean> {
  if (!isLongSearch(pattern, text)) return pattern.test(text);
  const found = yield* testByAutomaton(pattern, text);
  return found ?? (yield* new ThreadSearch(pattern, text).find(0, true)) !== undefined;
}

/** Returns the first match of a text, or an empty text, in passes. */
export function* findInPasses(pattern: RE2JS, text: string): Passes<string> {
  const match = yield* new ThreadSearch(pattern, text).find(0);
  return match === undefined ? '' : text.slice(match.start, match.end);
}

/** Returns up to `limit` matches in order, in passes; omits an empty match directly after another match. */
export function* findAllInPasses(pattern: RE2JS, text: string, limit: number | bigint): Passes<string[]> {
  const search = new ThreadSearch(pattern, text);
  const found: string[] = [];
  let end = -1;
  for (let from = 0; from <= text.length && (limit < 0 || found.length < limit);) {
    const match = yield* search.find(from);
    if (match === undefined) break;
    if (match.end > match.start || match.start !== end) found.push(text.slice(match.start, match.end));
    end = match.end;
    from = match.end > match.start ? end : end + ((text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1);
  }
  return found;
}
