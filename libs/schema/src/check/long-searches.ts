import { testInPasses } from '@annex/cel';
import { finish, type Passes } from '@annex/machinery';
import type { RE2JS } from 're2js';

/** A search of a pattern in a text. */
interface Search {
  readonly pattern: RE2JS;
  readonly text: string;
  matches?: boolean;
}

/** The long searches of the validation that runs, also those of its earlier runs; undefined if they are not postponed. */
let searches: Search[] | undefined;

/** Returns whether a long text has a match. Within `postponeSearches`, every text has one until its search is done. */
export function longSearch(pattern: RE2JS, text: string): boolean {
  if (searches === undefined) return finish(testInPasses(pattern, text));
  const known = searches.find((search) => search.pattern === pattern && search.text === text);
  if (known === undefined) searches.push({ pattern, text });
  return known?.matches ?? true;
}

/** Runs a validation. If its patterns search long texts, returns the passes of the searches, after which it runs again. */
export function postponeSearches<T>(validate: () => T): T | LongSearches<T> {
  const found: Search[] = [];
  const result = runWith(found, validate);
  return found.length === 0 ? result : new LongSearches(finishSearches(found, validate));
}

/** A validation with long searches, in passes. */
export class LongSearches<T> {
  readonly passes: Passes<T>;

  constructor(passes: Passes<T>) {
    this.passes = passes;
  }
}

function* finishSearches<T>(found: Search[], validate: () => T): Passes<T> {
  for (;;) {
    const next = found.filter(({ matches }) => matches === undefined);
    for (const search of next) search.matches = yield* testInPasses(search.pattern, search.text);
    yield;
    const result = runWith(found, validate);
    if (found.every(({ matches }) => matches !== undefined)) return result;
  }
}

function runWith<T>(found: Search[], validate: () => T): T {
  searches = found;
  try {
    return validate();
  } finally {
    searches = undefined;
  }
}
