/** A function of one value, whose source is generated. */
export type Generated<T> = (value: unknown) => T;

/**
 * The source of functions that a schema becomes, see `docs/decisions/0011-generated-functions.md`. Whatever comes from a schema enters the source as a JSON string or not at all: as a constant, by its number.
 */
export class FunctionSource {
  readonly #constants: unknown[] = [];
  readonly #functions: string[] = [];

  /** The expression for a value that cannot be written as source. */
  constant(value: unknown): string {
    this.#constants.push(value);
    return `c[${this.#constants.length - 1}]`;
  }

  /** Adds a function of `v`; gives its name. */
  add(body: string): string {
    const name = `f${this.#functions.length}`;
    this.#functions.push(`function ${name}(v) {\n${body}\n}`);
    return name;
  }

  /** The function of that name, which may call the others. */
  build<T>(name: string): Generated<T> {
    const code = `"use strict";\n${this.#functions.join('\n')}\nreturn ${name};`;
    const make = new Function('c', code) as (constants: unknown[]) => Generated<T>;
    return make(this.#constants);
  }
}

/** A string as source. */
export const literal = (text: string): string => JSON.stringify(text);

const inheritedNames = new Set(Object.getOwnPropertyNames(Object.prototype));

/** The own property of an object, or undefined: names that objects inherit are looked up with care. */
export function property(object: string, name: string): string {
  const access = `${object}[${literal(name)}]`;
  return inheritedNames.has(name)
    ? `(Object.hasOwn(${object}, ${literal(name)}) ? ${access} : undefined)`
    : access;
}

export const isObjectSource = (value: string): string =>
  `typeof ${value} === "object" && ${value} !== null && !Array.isArray(${value})`;

/** True for what is no container: whatever it is, there is nothing in it. */
export const isScalarSource = (value: string): string =>
  `(typeof ${value} !== "object" || ${value} === null)`;
