/** One clause of an Accept header. */
export interface AcceptClause {
  /** `type/subtype`. */
  type: string;
  params: ReadonlyMap<string, string>;
}

interface Weighted extends AcceptClause {
  q: number;
}

/** The maximum number of clauses of a header that are read. */
export const maxAcceptClauses = 32;

/** Parses the clauses of an Accept header, by descending preference. An absent header accepts everything. */
export function acceptClauses(accept: string | undefined): AcceptClause[] {
  const clauses = (accept || '*/*').split(',', maxAcceptClauses).flatMap((text) => parseClause(text) ?? []);
  // The same sort as in kube-apiserver's library. Its comparison is no consistent order when wildcards have a
  // higher weight.
  for (let i = 1; i < clauses.length; i++) {
    for (let j = i; j > 0 && isBefore(clauses[j], clauses[j - 1]); j--) {
      [clauses[j - 1], clauses[j]] = [clauses[j] as Weighted, clauses[j - 1] as Weighted];
    }
  }
  return clauses;
}

function isBefore(a: Weighted | undefined, b: Weighted | undefined): boolean {
  if (a === undefined || b === undefined) return false;
  if (a.q > b.q) return true;
  if (!a.type.startsWith('*/') && b.type.startsWith('*/')) return true;
  return !a.type.endsWith('/*') && b.type.endsWith('/*');
}

function parseClause(text: string): Weighted | undefined {
  const [range = '', ...rest] = trimSpaces(text).split(';');
  const type = mediaRange(range);
  if (type === undefined) return undefined;
  const params = new Map<string, string>();
  let q = 1;
  for (const part of rest) {
    const [name, assigned] = cut(part, '=');
    const [value, more] = cut(assigned, '=');
    if (assigned === '' || more !== '') continue;
    if (trimSpaces(name) === 'q') q = goFloat32(value);
    else params.set(trimSpaces(name), trimSpaces(value));
  }
  return { type, params, q };
}

/** Returns a media range without the optional spaces around its slash; `undefined` if it has no type. */
function mediaRange(text: string): string | undefined {
  const [type, rest] = cut(text, '/');
  if (rest === '') return trimSpaces(type) === '*' ? '*/*' : undefined;
  const [subtype, more] = cut(rest, '/');
  const range = [type, subtype].map(trimSpaces);
  return more !== '' || range.includes('') ? undefined : range.join('/');
}

/** What is before the first separator, and what is behind it. */
function cut(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

function trimSpaces(text: string): string {
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) === 0x20) end--;
  let start = 0;
  while (start < end && text.charCodeAt(start) === 0x20) start++;
  return text.slice(start, end);
}

/** Go allows single underscores between digits. */
const decimal = /^[+-]?(?:\d+(?:_\d+)*(?:\.(?:\d+(?:_\d+)*)?)?|\.\d+(?:_\d+)*)(?:[eE][+-]?\d+(?:_\d+)*)?$/;
const infinity = /^[+-]?inf(?:inity)?$/i;

/** A weight as Go's `strconv.ParseFloat` reads it, which is 0 where it is none. Hexadecimal ones are left out. */
function goFloat32(text: string): number {
  if (infinity.test(text)) return text.startsWith('-') ? -Infinity : Infinity;
  if (/^nan$/i.test(text)) return NaN;
  return decimal.test(text) ? Math.fround(Number(text.replaceAll('_', ''))) : 0;
}

/** Returns whether a media range covers a media type. */
export const covers = (range: string, type: string): boolean =>
  range === '*/*' || range === type || range === `${type.slice(0, type.indexOf('/'))}/*`;

/** Returns the first of our media types that a clause covers, in the order of the clauses. */
export function chooseType(accept: string | undefined, types: readonly string[]): string | undefined {
  for (const { type } of acceptClauses(accept)) {
    const match = types.find((own) => covers(type, own));
    if (match !== undefined) return match;
  }
  return undefined;
}

/**
 * Returns whether kube-apiserver's router finds a route with these types. The only wildcard that it
 * supports is the one for all types.
 */
export const isRouted = (accept: string | undefined, types: readonly string[]): boolean =>
  (accept || '*/*').split(',').some((text) => {
    const range = text.split(';', 1)[0]?.trim() ?? '';
    return range === '*/*' || types.includes(range);
  });
