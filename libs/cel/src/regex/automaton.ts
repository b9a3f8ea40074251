import type { Passes } from '@annex/machinery';
import type { RE2JS } from 're2js';
import { conditions, instructionsOf } from './instructions.ts';

/** A state of re2js's automaton, with the states that follow by class of the next character. */
interface State {
  readonly isMatch: boolean;
  readonly next: readonly (State | null)[] | null;
}

/** Work of one pass, which takes about a millisecond: a character is one unit, and a new state several. */
const unitsOfPass = 40_000;
const unitsOfState = 20;

const [unanchored, endOfText, latin1] = [0, -1, 255];

/**
 * Returns whether a text has a match, by re2js's deterministic automaton, whose states are made when they are needed. Returns undefined if they
 * need more memory than it may use.
 */
export function* testByAutomaton(pattern: RE2JS, text: string): Passes<boolean | undefined> {
  const { dfa } = pattern.re2();
  const beginning = { context: () => conditions.beginText };
  const search = { resetPos: -1 };
  const unitsOfNew = unitsOfState + instructionsOf(pattern).all.length;
  let state: State | null = dfa.start(beginning, 0);
  let units = 0;
  for (let at = 0; at < text.length && state !== null;) {
    const rune = text.codePointAt(at) as number;
    const ofRune: number = rune <= latin1 ? (dfa.latin1Class[rune] as number) : dfa.runeClass(rune);
    let next: State | null = state.next === null ? null : (state.next[ofRune] as State | null);
    if (next === null) {
      next = dfa.stepOrReset(state, ofRune, rune, unanchored, at, search) as State | null;
      units += unitsOfNew;
    }
    if (next?.isMatch === true) return true;
    state = next;
    at += rune > 0xffff ? 2 : 1;
    if (++units > unitsOfPass) {
      units = 0;
      yield;
    }
  }
  if (state !== null)
    state = dfa.stepOrReset(state, dfa.numClasses, endOfText, unanchored, text.length, search);
  return state?.isMatch;
}
