import { latin1OfText } from './bytes.ts';
import { badEscape, escape, unescapePercent } from './escape.ts';

/** Parameters of a query that Go's net/url reads; of a query with more it reads none. */
export const maxQueryParameters = 10_000;

/** The parameters of a query, unescaped: Go's `url.Values`. Immutable. */
export class Query {
  /** The query of requests without one. */
  static readonly none = new Query([]);

  /** Alternating names and values, in order. */
  readonly #pairs: readonly string[];

  constructor(pairs: readonly string[]) {
    this.#pairs = pairs;
  }

  /** The number of values. */
  get size(): number {
    return this.#pairs.length / 2;
  }

  /**
   * Returns the first value of a parameter, which is the one that kube-apiserver reads; `undefined` if there
   * is none.
   */
  get(name: string): string | undefined {
    const pairs = this.#pairs;
    for (let i = 0; i < pairs.length; i += 2) if (pairs[i] === name) return pairs[i + 1];
    return undefined;
  }

  has(name: string): boolean {
    return this.get(name) !== undefined;
  }

  /** Returns all values of a parameter, in order. */
  getAll(name: string): string[] {
    return this.#pairs.filter((_, i) => i % 2 === 1 && this.#pairs[i - 1] === name);
  }

  /** Returns the values of each parameter. */
  toMap(): Map<string, string[]> {
    const values = new Map<string, string[]>();
    for (let i = 0; i < this.#pairs.length; i += 2) {
      const [name, value] = [this.#pairs[i] as string, this.#pairs[i + 1] as string];
      const before = values.get(name);
      if (before === undefined) values.set(name, [value]);
      else before.push(value);
    }
    return values;
  }

  /** Formats the query like Go's `Values.Encode`: sorted by name, the values of one name in order. */
  toString(): string {
    const pairs = this.#pairs;
    const sorted: { bytes: string; text: string }[] = [];
    for (let i = 0; i < pairs.length; i += 2) {
      const [name, value] = [pairs[i] as string, pairs[i + 1] as string];
      sorted.push({ bytes: latin1OfText(name), text: `${escape(name, 'query')}=${escape(value, 'query')}` });
    }
    if (sorted.length > 1) sorted.sort(byBytes);
    return sorted.map(({ text }) => text).join('&');
  }
}

const byBytes = (a: { bytes: string }, b: { bytes: string }): number =>
  a.bytes < b.bytes ? -1 : a.bytes > b.bytes ? 1 : 0;

/**
 * Parses a query like Go's `url.ParseQuery`. Pairs with a semicolon or an invalid escape are left out; a
 * question mark is an ordinary character.
 */
export function parseQuery(text: string): Query {
  if (text === '' || exceedsLimit(text)) return Query.none;
  const read = special.test(text) ? readPair : readPlainPair;
  const pairs: string[] = [];
  for (let start = 0; start <= text.length;) {
    const ampersand = text.indexOf('&', start);
    const end = ampersand < 0 ? text.length : ampersand;
    if (end > start) read(text.slice(start, end), pairs);
    start = end + 1;
  }
  return pairs.length === 0 ? Query.none : new Query(pairs);
}

const special = /[%+;]/;

function exceedsLimit(text: string): boolean {
  // A parameter needs at least one character.
  if (text.length < maxQueryParameters) return false;
  let parameters = 1;
  for (let at = text.indexOf('&'); at >= 0; at = text.indexOf('&', at + 1)) parameters++;
  return parameters > maxQueryParameters;
}

function readPlainPair(pair: string, pairs: string[]): void {
  const equals = pair.indexOf('=');
  if (equals < 0) pairs.push(pair, '');
  else pairs.push(pair.slice(0, equals), pair.slice(equals + 1));
}

function readPair(pair: string, pairs: string[]): void {
  if (pair.includes(';') || badEscape(pair) !== undefined) return;
  readPlainPair(pair, pairs);
  const last = pairs.length - 1;
  pairs[last - 1] = unescapeQuery(pairs[last - 1] as string);
  pairs[last] = unescapeQuery(pairs[last] as string);
}

const unescapeQuery = (text: string): string =>
  unescapePercent(text.includes('+') ? text.replaceAll('+', ' ') : text);
