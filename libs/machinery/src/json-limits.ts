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

/** What a scan has found so far. */
interface Scan {
  /** Where it continues. */
  at: number;
  /** How many more objects and lists the text may have. */
  containers: number;
  /** The members of each open object or list so far. */
  open: number[];
}

/** How many characters one pass scans: up to a millisecond. */
const scannedAtOnce = 64 * 1024;

/**
 * Returns the first limit that a JSON text exceeds. The text need not be valid: it is scanned before it is
 * parsed, which takes ten times as long. Repeated keys count as members.
 */
export function limitExceededByText(text: string, limits: JsonLimits): keyof JsonLimits | undefined {
  return isShort(text, limits) ? undefined : scanTo(text.length, text, limits, beginScan(limits));
}

/** The same for a large text, in passes. */
export function* limitExceededByTextInPasses(
  text: string,
  limits: JsonLimits,
): Passes<keyof JsonLimits | undefined> {
  if (isShort(text, limits)) return undefined;
  const scan = beginScan(limits);
  while (scan.at < text.length) {
    const exceeded = scanTo(scan.at + scannedAtOnce, text, limits, scan);
    if (exceeded !== undefined) return exceeded;
    yield;
  }
  return undefined;
}

/** A text has too few brackets and colons if it is shorter than this. */
const isShort = (text: string, { depth, containers = Infinity, members = Infinity }: JsonLimits): boolean =>
  text.length < 2 * Math.min(depth, containers, members);

const beginScan = ({ containers = Infinity }: JsonLimits): Scan => ({ at: 0, containers, open: [0] });

function scanTo(
  end: number,
  text: string,
  { depth, members = Infinity }: JsonLimits,
  scan: Scan,
): keyof JsonLimits | undefined {
  const { open } = scan;
  const stop = Math.min(end, text.length);
  let i = scan.at;
  for (; i < stop; i++) {
    const code = text.charCodeAt(i);
    if (code === quote) i = stringEnd(text, i);
    else if (code === colon) {
      if (++(open[open.length - 1] as number) > members) return 'members';
    } else if (code === openBrace || code === openBracket) {
      if (open.push(0) > depth + 1) return 'depth';
      if (--scan.containers < 0) return 'containers';
    } else if ((code === closeBrace || code === closeBracket) && open.length > 1) open.pop();
  }
  scan.at = i;
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
