import type { Field, Schema, Schemas } from './schemas.ts';

/** How a field is filled: one long list or map, or many short ones, each in an item of the list around it. */
export type Filling = 'one' | 'many';

/** The members of an object with most of them; the server refuses more. */
const mostMembers = 39_900;
const mostItems = 100_000;

/** Fields that would need other objects, or that admission refuses. */
const avoided =
  /^(priorityClassName|priority|preemptionPolicy|runtimeClassName|serviceAccount|serviceAccountName|nodeName|host.*)$/;

type Json = Record<string, unknown>;

/** Creates an object whose field is filled, with a body of at most `bytes`. */
export function filledObject(
  schemas: Schemas,
  root: Schema,
  field: Field,
  filling: Filling,
  bytes: number,
): Json {
  const filler = new Filler(schemas, field);
  const most = filler.mostParts(bytes);
  let [outer, inner] =
    filling === 'one' ? [1, most] : [Math.floor(Math.sqrt(most)), Math.floor(Math.sqrt(most))];
  for (;;) {
    const object = filler.object(root, field.path, outer, inner);
    if (JSON.stringify(object).length < bytes) return object;
    [outer, inner] = [Math.max(1, Math.floor(outer * 0.8)), Math.max(1, Math.floor(inner * 0.8))];
  }
}

/** Whether a field is in a list, so that there can be many of it. */
export const isRepeatable = ({ path }: Field): boolean => path.includes('[]');

class Filler {
  readonly #schemas: Schemas;
  readonly #field: Field;

  constructor(schemas: Schemas, field: Field) {
    this.#schemas = schemas;
    this.#field = field;
  }

  /** How many parts of the field fit. */
  mostParts(bytes: number): number {
    const part = JSON.stringify(this.#parts(1));
    return Math.min(mostItems, Math.floor(bytes / Math.max(12, part.length)));
  }

  object(root: Schema, path: readonly string[], outer: number, inner: number): Json {
    return this.#along(root, path, 0, outer, inner) as Json;
  }

  /** Returns a value whose part at the path is filled. */
  #along(schema: Schema, path: readonly string[], index: number, outer: number, inner: number): unknown {
    const resolved = this.#schemas.resolve(schema);
    const [head, ...rest] = path;
    if (head === undefined) return this.#parts(inner);
    if (head === '[]')
      return Array.from({ length: outer }, (_, i) => this.#along(resolved.items ?? {}, rest, i, 1, inner));
    if (head === '{}') return { k1: this.#along(resolved.additionalProperties ?? {}, rest, index, 1, inner) };
    const own = (this.#value(resolved, index, '', 0) ?? {}) as Json;
    const child = resolved.properties?.[head] ?? {};
    return { ...own, [head]: this.#along(child, rest, index, outer, inner) };
  }

  #parts(count: number): unknown {
    const { schema, path } = this.#field;
    const { items, additionalProperties = {} } = schema;
    if (items !== undefined)
      return Array.from({ length: count }, (_, i) => this.#value(items, i, path.at(-1) ?? '', 0));
    const length = Math.min(count, mostMembers);
    return Object.fromEntries(
      Array.from({ length }, (_, i) => [`k${i}`, this.#value(additionalProperties, i, '', 0)]),
    );
  }

  /** Returns a small value, which is the same for the same index. */
  #value(schema: Schema, index: number, name: string, depth: number): unknown {
    const resolved = this.#schemas.resolve(schema);
    const scalar = scalarOf(resolved, index, name);
    if (scalar !== undefined) return scalar;
    const { items, properties, required = [], additionalProperties } = resolved;
    if (items !== undefined) return depth > 3 ? [] : [this.#value(items, index, name, depth + 1)];
    if (properties === undefined)
      return additionalProperties === undefined
        ? {}
        : { [`k${index}`]: this.#value(additionalProperties, index, '', depth + 1) };
    const object: Json = {};
    for (const [field, child] of Object.entries(properties)) {
      if (depth > 3 || avoided.test(field)) continue;
      const isScalar = scalarOf(this.#schemas.resolve(child), index, field) !== undefined;
      if (required.includes(field) || (depth < 2 && isScalar))
        object[field] = this.#value(child, index, field, depth + 1);
    }
    return object;
  }
}

/** Returns a value of a scalar schema; of a text one that fits its name or format. */
function scalarOf({ type, format, enum: values }: Schema, index: number, name: string): unknown {
  if (values !== undefined) return values[index % values.length];
  switch (type) {
    case 'string':
      if (format === 'date-time') return '2026-01-02T03:04:05Z';
      if (format === 'byte') return 'YWJj';
      if (/ip/i.test(name)) return `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`;
      return `n${index}`;
    case 'integer':
      return (index % 60_000) + 1;
    case 'number':
      return 1;
    case 'boolean':
      return true;
    default:
      return undefined;
  }
}
