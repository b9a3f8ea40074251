import type { RE2JS } from 're2js';

/** An instruction of a compiled pattern. */
export interface Instruction {
  readonly op: number;
  /** The next instruction. */
  readonly out: number;
  /** The alternative of `alt`; the conditions of `emptyWidth`. */
  readonly arg: number;
  matchRune(rune: number): boolean;
}

/** The operations of instructions; those beyond `nop` read a character. */
export const operations = {
  alt: 1,
  altMatch: 2,
  capture: 3,
  emptyWidth: 4,
  fail: 5,
  match: 6,
  nop: 7,
} as const;

/** The conditions of a position between two characters. */
export const conditions = {
  beginLine: 1,
  endLine: 2,
  beginText: 4,
  endText: 8,
  wordBoundary: 16,
  noWordBoundary: 32,
} as const;

/** A pattern as re2js compiles it. */
export interface Instructions {
  readonly all: readonly Instruction[];
  readonly start: number;
  /** The conditions of each match's start. */
  readonly startConditions: number;
}

const known = new WeakMap<RE2JS, Instructions>();

export function instructionsOf(pattern: RE2JS): Instructions {
  let instructions = known.get(pattern);
  if (instructions === undefined) {
    const { prog, cond } = pattern.re2();
    const all = Array.from({ length: prog.numInst() }, (_, pc): Instruction => prog.getInst(pc));
    known.set(pattern, (instructions = { all, start: prog.start, startConditions: Number(cond) }));
  }
  return instructions;
}

/** Returns the conditions that a position satisfies. */
export function conditionsAt(text: string, at: number): number {
  const before = at === 0 ? -1 : text.charCodeAt(at - 1);
  const after = at < text.length ? text.charCodeAt(at) : -1;
  let found = isWord(before) === isWord(after) ? conditions.noWordBoundary : conditions.wordBoundary;
  if (before < 0) found |= conditions.beginText | conditions.beginLine;
  else if (before === 10) found |= conditions.beginLine;
  if (after < 0) found |= conditions.endText | conditions.endLine;
  else if (after === 10) found |= conditions.endLine;
  return found;
}

const isWord = (unit: number): boolean =>
  (unit >= 97 && unit <= 122) || (unit >= 65 && unit <= 90) || (unit >= 48 && unit <= 57) || unit === 95;
