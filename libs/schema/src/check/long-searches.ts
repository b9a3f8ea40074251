import { testInPasses } from '@annex/cel';
import { finish, type Passes } from '@annex/machinery';
import type { RE2JS } from 're2js';
import { isUnlimited } from './check-work.ts';

/** The results of searches by pattern and text; undefined until a search is done. */
type Searches = Map<RE2JS, Map<string, boolean | undefined>>;

/** The long searches of the validation that runs, also those of its earlier runs; undefined if they are not postponed. */
let searches: Searches | undefined;

/** Returns whether a long text has a match. Within `searchInPasses`, every text has one until its search is done; an attempt gives up. */
export function longSearch(pattern: RE2JS, text: string): boolean {
  if (searches === undefined) return isUnlimited() && finish(testInPasses(pattern, text));
  let ofPattern = searches.get(pattern);
  if (ofPattern === undefined) searches.set(pattern, (ofPattern = new Map<string, boolean | undefined>()));
  if (!ofPattern.has(text)) ofPattern.set(text, undefined);
  return ofPattern.get(text) ?? true;
}

/** Runs a validation in passes. If its patterns search long texts, the searches have passes of their own, and the validation runs again. */
export function* searchInPasses<T>(validate: () => Passes<T>): Passes<T> {
  const found: Searches = new Map();
  for (;;) {
    const result = yield* runWith(found, validate());
    if (found.values().every((texts) => texts.values().every((matches) => matches !== undefined)))
      return result;
    yield* searchAll(found);
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

/** Postpones the searches of each pass; other validations run between them. */
function* runWith<T>(found: Searches, passes: Passes<T>): Passes<T> {
  for (;;) {
    searches = found;
    let step: ReturnType<typeof passes.next>;
    try {
      step = passes.next();
    } finally {
      searches = undefined;
    }
    if (step.done === true) return step.value;
    yield step.value;
  }
}
