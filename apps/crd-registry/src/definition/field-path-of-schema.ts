import { isObject, type JsonObject } from '@annex/machinery';

/** A path into a schema that holds: the names it goes through, its printed form, and the schema it ends at. */
export interface SchemaPath {
  names: string[];
  printed: string;
  schema: JsonObject | undefined;
}

const notValid = 'does not refer to a valid field';
const endTooSoon = 'unexpected end of JSON path';

/**
 * Follows `.spec.color` or, with `brackets`, `['spec'].color` through properties and additionalProperties of a schema.
 * A string is the complaint about a path that does not hold.
 */
export function followPath(path: string, schema: JsonObject, brackets: boolean): SchemaPath | string {
  const tokens = (path.match(/'(?:\\.|[^'\\])*'|[.[\]]|[^.[\]]+/g) ?? [])[Symbol.iterator]();
  let at: SchemaPath = { names: [], printed: '', schema };
  for (const token of tokens) {
    if (token !== '.' && token !== '[') return `expected [ or . but got: ${token}`;
    if (token === '[' && !brackets) return 'array notation is not allowed';
    const name = tokens.next().value;
    if (name === undefined) return endTooSoon;
    if (token === '[' && !/^'.*'$/s.test(name)) return `expected single quoted string but got ${name}`;
    const next = step(at, token === '[' ? name.slice(1, -1).replaceAll(/\\(.)/g, '$1') : name);
    if (typeof next === 'string') return next;
    at = next;
    if (token === '.') continue;
    const closing = tokens.next().value;
    if (closing === undefined) return endTooSoon;
    if (closing !== ']') return `expected ] but got ${closing}`;
  }
  return at;
}

function step(at: SchemaPath, name: string): SchemaPath | string {
  const { properties, additionalProperties } = at.schema ?? {};
  const names = [...at.names, name];
  if (isObject(properties)) {
    const next = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (!isObject(next)) return notValid;
    return { names, printed: at.printed === '' ? name : `${at.printed}.${name}`, schema: next };
  }
  if (additionalProperties == null) return notValid;
  const schema = isObject(additionalProperties) ? additionalProperties : undefined;
  return { names, printed: `${at.printed}[${name}]`, schema };
}
