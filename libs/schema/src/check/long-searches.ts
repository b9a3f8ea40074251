import { testInPasses } from '@annex/cel';
import { finish, type Passes } from '@annex/machinery';
import type { RE2JS } from 're2js';

/** The results of searches by pattern and text; undefined until a search is done. */
type Searches = Map<RE2JS, Map<string, boolean | undefined>>;

/** The long searches of the validation that runs, also those of its earlier runs; undefined if they are not postponed. */
let searches: Searches | undefined;

/** Returns whether a long text has a match. Within `postponeSearches`, every text has one until its search is done. */
export function longSearch(pattern: RE2JS, text: string): boolean {
  if (searches === undefined) return finish(testInPasses(pattern, text));
  let ofPattern = searches.get(pattern);
  if (ofPattern === undefined) searches.set(pattern, (ofPattern = new Map<string, boolean | undefined>()));
  if (!ofPattern.has(text)) ofPattern.set(text, undefined);
  return ofPattern.get(text) ?? true;
}

/** Runs a validation. If its patterns search long texts, returns the passes of the searches, after which it runs again. */
export function postponeSearches<T>(validate: () => T): T | LongSearches<T> {
  const found: Searches = new Map();
  const result = runWith(found, validate);
  return found.size === 0 ? result : new LongSearches(finishSearches(found, validate));
}

/** A validation with long searches, in passes. */
export class LongSearches<T> {
  readonly passes: Passes<T>;

  constructor(passes: Passes<T>) {
    this.passes = passes;
  }
}

function* finishSearches<T>(found: Searches, validate: () => T): Passes<T> {
  for (;;) {
    yield* searchAll(found);
    const result = runWith(found, validate);
    if (found.values().every((texts) => texts.values().every((matches) => matches !== undefined)))
      return result;
  }
}

/** Does the searches that are not done, in passes of one search or less: there may be many. */
function* searchAll(found: Searches): Passes<void> {
  for (const [pattern, texts] of found) {
    for (const [text, matches] of texts) {
      if (matches !== undefined) continue;
      texts.set(text, yield* testInPasses(pattern, text));
      yield;
    }
  }
}

function runWith<T>(found: Searches, validate: () => T): T {
  searches = found;
  try {
    return validate();
  } finally {
    searches = undefined;
  }
}
