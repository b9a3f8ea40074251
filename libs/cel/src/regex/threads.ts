import type { Passes } from '@annex/machinery';
import type { RE2JS } from 're2js';
import {
  conditions,
  conditionsAt,
  type Instruction,
  type Instructions,
  instructionsOf,
  operations,
} from './instructions.ts';

/** The range of a match, in UTF-16 offsets. */
export interface Match {
  readonly start: number;
  readonly end: number;
}

/** Visits of instructions in one pass, which take about a millisecond. */
const visitsOfPass = 50_000;

/** The threads at one position, those of higher priority first; no two are at the same instruction. */
class ThreadList {
  readonly pcs: Int32Array;
  /** Where the match of each thread begins. */
  readonly starts: Int32Array;
  length = 0;
  readonly #marks: Int32Array;
  #generation = 0;

  constructor(instructions: number) {
    this.pcs = new Int32Array(instructions);
    this.starts = new Int32Array(instructions);
    this.#marks = new Int32Array(instructions);
    this.clear();
  }

  clear(): void {
    this.length = 0;
    this.#generation++;
  }

  /** Marks an instruction; returns false if it is marked already. */
  mark(pc: number): boolean {
    if (this.#marks[pc] === this.#generation) return false;
    this.#marks[pc] = this.#generation;
    return true;
  }

  push(pc: number, start: number): void {
    this.pcs[this.length] = pc;
    this.starts[this.length++] = start;
  }
}

/**
 * Searches a text by simulating all threads of a pattern, with the priorities of RE2, so that it can end a pass at each character:
 * https://swtch.com/~rsc/regexp/regexp2.html
 */
export class ThreadSearch {
  readonly #instructions: Instructions;
  readonly #text: string;
  readonly #stack: number[] = [];
  #current: ThreadList;
  #next: ThreadList;
  #visits = 0;

  constructor(pattern: RE2JS, text: string) {
    this.#instructions = instructionsOf(pattern);
    this.#text = text;
    this.#current = new ThreadList(this.#instructions.all.length);
    this.#next = new ThreadList(this.#instructions.all.length);
  }

  /** Returns the first match from a position on; any match if only its existence counts. */
  *find(from: number, any = false): Passes<Match | undefined> {
    const { start, startConditions } = this.#instructions;
    const text = this.#text;
    const onlyAtBegin = (startConditions & conditions.beginText) !== 0;
    let match: Match | undefined;
    this.#current.clear();
    let found = conditionsAt(text, from);
    for (let at = from; ;) {
      if (match === undefined && !(onlyAtBegin && at > 0)) this.#add(this.#current, start, at, found);
      if (this.#current.length === 0 && (match !== undefined || onlyAtBegin)) return match;
      const rune = at < text.length ? (text.codePointAt(at) as number) : -1;
      const next = at + (rune > 0xffff ? 2 : 1);
      if (rune >= 0) found = conditionsAt(text, next);
      match = this.#step(at, rune, found) ?? match;
      if (rune < 0 || (any && match !== undefined)) return match;
      at = next;
      if (this.#visits > visitsOfPass) {
        this.#visits = 0;
        yield;
      }
    }
  }

  /** Moves all threads over a character; returns the match of the thread with the highest priority that ends here. */
  #step(at: number, rune: number, found: number): Match | undefined {
    const [current, next] = [this.#current, this.#next];
    const { all } = this.#instructions;
    next.clear();
    this.#visits += 2 + current.length;
    let match: Match | undefined;
    for (let i = 0; i < current.length; i++) {
      const pc = current.pcs[i] as number;
      const instruction = all[pc] as Instruction;
      const start = current.starts[i] as number;
      if (instruction.op === operations.match) {
        match = { start, end: at };
        break;
      }
      if (rune >= 0 && instruction.matchRune(rune)) this.#add(next, instruction.out, start, found);
    }
    [this.#current, this.#next] = [next, current];
    return match;
  }

  /** Adds the threads that an instruction leads to without a character. */
  #add(list: ThreadList, pc: number, start: number, found: number): void {
    const { all } = this.#instructions;
    const stack = this.#stack;
    stack.push(pc);
    for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
      if (!list.mark(next)) continue;
      this.#visits++;
      const { op, out, arg } = all[next] as Instruction;
      if (op === operations.alt || op === operations.altMatch) stack.push(arg, out);
      else if (op === operations.nop || op === operations.capture) stack.push(out);
      else if (op === operations.emptyWidth) {
        if ((arg & ~found) === 0) stack.push(out);
      } else if (op !== operations.fail) list.push(next, start);
    }
  }
}
