/** So many comparisons of lines take about 5 ms. */
export const maxComparedLines = 500_000;
/** Lines around a change. */
const context = 3;
/** Of texts with so many lines, those that are frequent begin no match. */
const manyLines = 200;

/** Equal lines of two texts: where they begin, and their number. */
type Match = readonly [before: number, after: number, size: number];

/** A part of two texts, and whether it is equal in both. */
interface Part {
  isEqual: boolean;
  before: readonly [start: number, end: number];
  after: readonly [start: number, end: number];
}

/**
 * Returns the difference of two texts as kube-apiserver writes it: a unified diff without file names, of the longest matches as Python's difflib finds them.
 * `undefined` if that needs too many comparisons.
 */
export function goLineDiff(before: string, after: string): string | undefined {
  const [old, now] = [before.split('\n'), after.split('\n')];
  const matches = new LineMatcher(old, now).matches();
  if (matches === undefined) return undefined;
  return hunksOf(partsOf(matches, old.length, now.length))
    .map((hunk) => hunkText(hunk, old, now))
    .join('');
}

/** Finds the longest match of two texts, then those before it and behind it. */
class LineMatcher {
  readonly #old: readonly string[];
  readonly #now: readonly string[];
  readonly #places = new Map<string, number[]>();
  #compared = 0;

  constructor(old: readonly string[], now: readonly string[]) {
    this.#old = old;
    this.#now = now;
    for (const [place, line] of now.entries()) {
      const places = this.#places.get(line);
      if (places === undefined) this.#places.set(line, [place]);
      else places.push(place);
    }
    if (now.length < manyLines) return;
    const frequent = Math.floor(now.length / 100) + 1;
    for (const [line, places] of this.#places) if (places.length > frequent) this.#places.delete(line);
  }

  /** Returns the matches in their order, or `undefined` after too many comparisons. */
  matches(): Match[] | undefined {
    const found: Match[] = [];
    const open: Part['before'][][] = [
      [
        [0, this.#old.length],
        [0, this.#now.length],
      ],
    ];
    for (let range = open.pop(); range !== undefined; range = open.pop()) {
      const [old, now] = range as [Part['before'], Part['before']];
      const match = this.#longest(old, now);
      if (this.#compared > maxComparedLines) return undefined;
      const [i, j, size] = match;
      if (size === 0) continue;
      found.push(match);
      if (old[0] < i && now[0] < j)
        open.push([
          [old[0], i],
          [now[0], j],
        ]);
      if (i + size < old[1] && j + size < now[1])
        open.push([
          [i + size, old[1]],
          [j + size, now[1]],
        ]);
    }
    return found.sort(([a], [b]) => a - b);
  }

  /** Returns the first of the longest matches in a part of both texts. */
  #longest([oldStart, oldEnd]: Part['before'], [nowStart, nowEnd]: Part['before']): Match {
    let [bestOld, bestNow, size] = [oldStart, nowStart, 0];
    let lengths = new Map<number, number>();
    for (let i = oldStart; i < oldEnd; i++) {
      const next = new Map<number, number>();
      const places = this.#places.get(this.#old[i]!) ?? [];
      this.#compared += places.length + 1;
      for (const j of places) {
        if (j < nowStart) continue;
        if (j >= nowEnd) break;
        const length = (lengths.get(j - 1) ?? 0) + 1;
        next.set(j, length);
        if (length > size) [bestOld, bestNow, size] = [i - length + 1, j - length + 1, length];
      }
      lengths = next;
    }
    // Frequent lines are part of matches that they do not begin.
    while (bestOld > oldStart && bestNow > nowStart && this.#isEqual(bestOld - 1, bestNow - 1)) {
      [bestOld, bestNow, size] = [bestOld - 1, bestNow - 1, size + 1];
    }
    while (
      bestOld + size < oldEnd &&
      bestNow + size < nowEnd &&
      this.#isEqual(bestOld + size, bestNow + size)
    )
      size++;
    return [bestOld, bestNow, size];
  }

  #isEqual = (old: number, now: number): boolean => this.#old[old] === this.#now[now];
}

/** Returns the parts that match, and those between them. */
function partsOf(matches: readonly Match[], oldLength: number, nowLength: number): Part[] {
  const parts: Part[] = [];
  let [old, now] = [0, 0];
  for (const [i, j, size] of [...matches, [oldLength, nowLength, 0] as const]) {
    if (old < i || now < j) parts.push({ isEqual: false, before: [old, i], after: [now, j] });
    [old, now] = [i + size, j + size];
    const last = parts.at(-1);
    if (size === 0) continue;
    if (last?.isEqual === true)
      [last.before, last.after] = [
        [last.before[0], old],
        [last.after[0], now],
      ];
    else parts.push({ isEqual: true, before: [i, old], after: [j, now] });
  }
  return parts;
}

/** Returns the changes with the lines around them, and those together between which no line is left out. */
function hunksOf(parts: readonly Part[]): Part[][] {
  const hunks: Part[][] = [];
  let hunk: Part[] = [];
  for (const [index, part] of parts.entries()) {
    const { isEqual, before, after } = part;
    const [isFirst, isLast] = [index === 0, index === parts.length - 1];
    const length = before[1] - before[0];
    if (!isEqual || (length <= 2 * context && !isFirst && !isLast)) {
      hunk.push(part);
      continue;
    }
    if (!isFirst) hunk.push(startOf(part, Math.min(context, length)));
    if (hunk.some((one) => !one.isEqual)) hunks.push(hunk);
    const rest = Math.min(context, length);
    hunk = [{ isEqual, before: [before[1] - rest, before[1]], after: [after[1] - rest, after[1]] }];
  }
  if (hunk.some((one) => !one.isEqual)) hunks.push(hunk);
  return hunks;
}

const startOf = ({ isEqual, before, after }: Part, length: number): Part => ({
  isEqual,
  before: [before[0], before[0] + length],
  after: [after[0], after[0] + length],
});

function hunkText(hunk: readonly Part[], old: readonly string[], now: readonly string[]): string {
  const [first, last] = [hunk[0]!, hunk.at(-1)!];
  const head = `@@ -${rangeText(first.before[0], last.before[1])} +${rangeText(first.after[0], last.after[1])} @@\n`;
  const lines = hunk.flatMap(({ isEqual, before, after }) =>
    isEqual
      ? old.slice(...before).map((line) => ` ${line}\n`)
      : [
          ...old.slice(...before).map((line) => `-${line}\n`),
          ...now.slice(...after).map((line) => `+${line}\n`),
        ],
  );
  return head + lines.join('');
}

/** Lines begin with 1; an empty range is behind the line that it names. */
function rangeText(start: number, end: number): string {
  const length = end - start;
  if (length === 1) return String(start + 1);
  return `${length === 0 ? start : start + 1},${length}`;
}
