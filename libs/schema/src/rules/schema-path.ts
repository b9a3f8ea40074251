import { tableOf } from '@annex/machinery';
import type { SchemaNode } from '../node.ts';

/** A valid path into a schema: its names, its printed form, and the schema at its end. */
export interface SchemaPath {
  readonly names: readonly string[];
  readonly printed: string;
  readonly node: SchemaNode | undefined;
}

const notValid = 'does not refer to a valid field';
const endTooSoon = 'unexpected end of JSON path';

/**
 * Follows `.spec.color` or, with `brackets`, `['spec'].color` through properties and additionalProperties of a schema.
 * Returns an error message for an invalid path.
 */
export function followSchemaPath(path: string, node: SchemaNode, brackets: boolean): SchemaPath | string {
  const tokens = (path.match(/'(?:\\.|[^'\\])*'|[.[\]]|[^.[\]]+/g) ?? [])[Symbol.iterator]();
  let at: SchemaPath = { names: [], printed: '', node };
  for (const token of tokens) {
    if (token !== '.' && token !== '[') return `expected [ or . but got: ${token}`;
    if (token === '[' && !brackets) return 'array notation is not allowed';
    const name = tokens.next().value;
    if (name === undefined) return endTooSoon;
    if (token === '[' && !/^'.*'$/s.test(name)) return `expected single quoted string but got ${name}`;
    const plain = token === '[' ? unescape(name.slice(1, -1)) : name;
    if (plain === undefined) return `invalid string literal: invalid escape char ${firstBadEscape(name)}`;
    const next = step(at, plain);
    if (typeof next === 'string') return next;
    at = next;
    if (token === '.') continue;
    const closing = tokens.next().value;
    if (closing === undefined) return endTooSoon;
    if (closing !== ']') return `expected ] but got ${closing}`;
  }
  return at;
}

const escapes = tableOf({
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  "'": "'",
  '\\': '\\',
});

const firstBadEscape = (name: string): string =>
  name.match(/\\./gs)?.find((escape) => escapes.get(escape.charAt(1)) === undefined) ?? '';

function unescape(name: string): string | undefined {
  if (firstBadEscape(name) !== '') return undefined;
  return name.replace(/\\(.)/gs, (_, directive: string) => escapes.get(directive) ?? '');
}

function step(at: SchemaPath, name: string): SchemaPath | string {
  const { properties, additionalProperties } = at.node ?? {};
  const names = [...at.names, name];
  if (properties !== undefined) {
    const next = properties.get(name);
    if (next === undefined) return notValid;
    return { names, printed: at.printed === '' ? name : `${at.printed}.${name}`, node: next };
  }
  if (additionalProperties === undefined) return notValid;
  const node = additionalProperties === true ? undefined : additionalProperties;
  return { names, printed: `${at.printed}[${name}]`, node };
}
