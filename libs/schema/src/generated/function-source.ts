/** A generated function of one value. */
export type Generated<T> = (value: unknown) => T;

/**
 * The source of functions generated from a schema, see `docs/decisions/0011-generated-functions.md`. Data of a schema enters
 * the source only as a JSON string, or as a numbered constant.
 */
export class FunctionSource {
  readonly #constants: unknown[] = [];
  readonly #functions: string[] = [];

  /** Adds a constant that cannot be written as source, and returns its expression. */
  constant(value: unknown): string {
    this.#constants.push(value);
    return `c[${this.#constants.length - 1}]`;
  }

  /** Adds a function of `v` and returns its name. */
  add(body: string): string {
    const name = `f${this.#functions.length}`;
    this.#functions.push(`function ${name}(v) {\n${body}\n}`);
    return name;
  }

  /** Builds the named function; it can call the others. */
  build<T>(name: string): Generated<T> {
    const code = `"use strict";\n${this.#functions.join('\n')}\nreturn ${name};`;
    const make = new Function('c', code) as (constants: unknown[]) => Generated<T>;
    return make(this.#constants);
  }
}

/** Returns a string as source. */
export const literal = (text: string): string => JSON.stringify(text);

const inheritedNames = new Set(Object.getOwnPropertyNames(Object.prototype));

/** Returns the expression for an own property; inherited names need a check. */
export function property(object: string, name: string): string {
  const access = `${object}[${literal(name)}]`;
  return inheritedNames.has(name)
    ? `(Object.hasOwn(${object}, ${literal(name)}) ? ${access} : undefined)`
    : access;
}

/** Returns the expression that is true for objects other than arrays. */
export const isObjectSource = (value: string): string =>
  `typeof ${value} === "object" && ${value} !== null && !Array.isArray(${value})`;

/** Returns the expression that is true for scalars, which contain no values. */
export const isScalarSource = (value: string): string =>
  `(typeof ${value} !== "object" || ${value} === null)`;
