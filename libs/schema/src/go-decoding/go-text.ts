import { type JsonValue, parseTime, validateQuantity } from '@annex/machinery';

/** Returns Go's error for invalid standard base64, or `undefined`. */
export function base64Error(text: string): string | undefined {
  const offset = base64ErrorOffset(text);
  return offset === undefined ? undefined : `illegal base64 data at input byte ${offset}`;
}

const outsideAlphabet = /[^A-Za-z0-9+/]/g;

// Returns the offset in Go's error: of an invalid character, or of the start of an incomplete last quantum.
// A search finds the end of a run of valid characters, because a value may be as long as a body.
function base64ErrorOffset(text: string): number | undefined {
  let filled = 0;
  for (let from = 0; from < text.length;) {
    outsideAlphabet.lastIndex = from;
    const found = outsideAlphabet.exec(text);
    const end = found?.index ?? text.length;
    filled = (filled + end - from) % 4;
    if (found === null) break;
    if (found[0] === '=') return paddingError(text, end, filled);
    if (found[0] !== '\n' && found[0] !== '\r') return end;
    from = end + 1;
  }
  return filled === 0 ? undefined : text.length - filled;
}

function paddingError(text: string, at: number, filled: number): number | undefined {
  if (filled < 2) return at;
  let next = skipNewlines(text, at + 1);
  if (filled === 2) {
    if (next === text.length) return text.length;
    if (text[next] !== '=') return next - 1;
    next = skipNewlines(text, next + 1);
  }
  return next === text.length ? undefined : next;
}

function skipNewlines(text: string, from: number): number {
  let at = from;
  while (text[at] === '\n' || text[at] === '\r') at++;
  return at;
}

/** The layouts of Time and MicroTime in Go's errors. */
export const timeLayout = '2006-01-02T15:04:05Z07:00';
export const microTimeLayout = '2006-01-02T15:04:05.000000Z07:00';

/** An element of a layout: Go's name, the pattern, the range, and the name in range errors. */
type TimeElement = readonly [name: string, pattern: RegExp, range?: [min: number, max: number, word: string]];

const untilSeconds: readonly TimeElement[] = [
  ['2006', /^\d{4}/],
  ['-', /^-/],
  ['01', /^\d{2}/, [1, 12, 'month']],
  ['-', /^-/],
  ['02', /^\d{2}/, [1, 31, 'day']],
  ['T', /^T/],
  ['15', /^\d{1,2}/, [0, 23, 'hour']],
  [':', /^:/],
  ['04', /^\d{2}/, [0, 59, 'minute']],
  [':', /^:/],
];
const zone: TimeElement = ['Z07:00', /^(Z|[+-]\d{2}:\d{2})/];

/** The elements of the layouts in order. A fraction is optional if the layout has none. */
const timeElements: readonly TimeElement[] = [
  ...untilSeconds,
  ['05', /^\d{2}([.,]\d+)?/, [0, 59, 'second']],
  zone,
];
const microTimeElements: readonly TimeElement[] = [
  ...untilSeconds,
  ['05', /^\d{2}/, [0, 59, 'second']],
  ['.000000', /^[.,]\d{6}/],
  zone,
];

const hasMicroseconds = /[.,]\d{6}(?:Z|[+-]\d{2}:\d{2})$/;

/** Quotes text as Go's time package: with hexadecimal escapes of the bytes of all characters beyond ASCII. */
const timeQuote = (text: string): string => `"${Array.from(Buffer.from(text), quotedByte).join('')}"`;

function quotedByte(byte: number): string {
  if (byte < 0x20 || byte >= 0x80) return `\\x${byte.toString(16).padStart(2, '0')}`;
  const character = String.fromCharCode(byte);
  return character === '"' || character === '\\' ? `\\${character}` : character;
}

/** Returns Go's error for a time that has not the layout, or `undefined`. A MicroTime has six digits after the second. */
export function timeError(text: string, layout = timeLayout): string | undefined {
  const elements = layout === microTimeLayout ? microTimeElements : timeElements;
  // Most times are valid, and managedFields have many.
  if (parseTime(text) !== undefined && (elements === timeElements || hasMicroseconds.test(text)))
    return undefined;
  const head = `parsing time ${timeQuote(text)}`;
  let rest = text;
  for (const [name, pattern, range] of elements) {
    const found = pattern.exec(rest)?.[0];
    if (found === undefined) {
      return `${head} as ${JSON.stringify(layout)}: cannot parse ${timeQuote(rest)} as ${JSON.stringify(name)}`;
    }
    const number = parseInt(found, 10);
    if (range && (number < range[0] || number > range[1])) return `${head}: ${range[2]} out of range`;
    rest = rest.slice(found.length);
  }
  if (rest !== '') return `${head}: extra text: ${timeQuote(rest)}`;
  const [year = 0, month = 0, day = 0] = text.split(/[-T]/).map(Number);
  return day > new Date(Date.UTC(year, month, 0)).getUTCDate() ? `${head}: day out of range` : undefined;
}

/** Returns Go's error for an invalid quantity, or `undefined`. */
export function quantityError(value: JsonValue): string | undefined {
  const text = typeof value === 'string' ? value : typeof value === 'object' ? '{}' : String(value);
  return validateQuantity(text.trim())[0];
}
