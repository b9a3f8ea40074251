import { everyContainer } from './every-container.ts';
import type { JsonValue } from './json-object.ts';
import { stringEnd } from './json-strings.ts';
import type { Passes } from './passes.ts';

/** What a JSON text can exceed. */
export interface JsonLimits {
  /** Nesting of objects and lists. */
  depth: number;
  /** Objects and lists. */
  containers?: number;
  /** Members of one object. */
  members?: number;
}

const quote = 0x22;
const colon = 0x3a;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;

/**
 * Returns the first limit that a JSON text exceeds. The text need not be valid: it is scanned before it is
 * parsed, which takes ten times as long. Repeated keys count as members.
 */
export function limitExceededByText(text: string, limits: JsonLimits): keyof JsonLimits | undefined {
  const { depth, containers = Infinity, members = Infinity } = limits;
  // A shorter text has too few brackets and colons.
  if (text.length < 2 * Math.min(depth, containers, members)) return undefined;
  let left = containers;
  /** The members of each open object or list so far. */
  const open = [0];
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === quote) i = stringEnd(text, i);
    else if (code === colon) {
      if (++(open[open.length - 1] as number) > members) return 'members';
    } else if (code === openBrace || code === openBracket) {
      if (open.push(0) > depth + 1) return 'depth';
      if (--left < 0) return 'containers';
    } else if ((code === closeBrace || code === closeBracket) && open.length > 1) open.pop();
  }
  return undefined;
}

type Exceeded = 'containers' | 'members' | undefined;

/** How many members and items are visited in one pass: only objects and lists among them take time. */
const visitedInPass = 2000;

/** Returns the first limit that a JSON value exceeds, in passes if it is large. */
export function* limitExceededByValue(
  value: JsonValue,
  { containers, members }: Required<Omit<JsonLimits, 'depth'>>,
): Passes<Exceeded> {
  let left = containers;
  let exceeded: Exceeded;
  const isWithin = (names: readonly string[] | undefined): boolean => {
    if (--left < 0) exceeded = 'containers';
    else if (names !== undefined && names.length > members) exceeded = 'members';
    return exceeded === undefined;
  };
  yield* everyContainer(value, isWithin, visitedInPass);
  return exceeded;
}
