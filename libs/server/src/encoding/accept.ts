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
  const [range = '', ...rest] = text.split(';').map((part) => part.trim());
  const type = mediaRange(range);
  if (type === undefined) return undefined;
  const params = new Map<string, string>();
  let q = 1;
  for (const part of rest) {
    const [name = '', value = '', end] = part.split('=', 4);
    // As the library does: an empty text behind a separator is no parameter, an empty text between two
    // separators is an empty value.
    if (end === undefined ? value === '' : end !== '' || part.endsWith('===')) continue;
    if (name.trim() === 'q') q = Number(value) || 0;
    else params.set(name.trim(), value.trim());
  }
  return { type, params, q };
}

/** Returns a media range without the optional spaces around its slash; `undefined` if it has no type. */
function mediaRange(text: string): string | undefined {
  if (text === '*' || text === '*/') return '*/*';
  const parts = text.split('/');
  const [type = '', subtype = '', end] = parts;
  if (type.trim() === '' || subtype.trim() === '' || (end ?? '') !== '' || parts.length > 3) return undefined;
  return `${type.trimEnd()}/${subtype.trim()}`;
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
