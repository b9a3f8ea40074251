import type { Expr } from '../syntax/expr.ts';
import type { Value } from '../values/value.ts';
import type { Declarations, FunctionDeclaration, VariableDeclaration } from './declarations.ts';
import { type CelType, typeOfType } from './type.ts';

/** A declared name: a variable, or a constant with its value. */
export interface Declared extends VariableDeclaration {
  readonly value?: Value;
}

/** The names in scope: those of enclosing comprehensions, then those of the environment. */
export class Scope {
  readonly environment: Declarations;
  readonly #parent: Scope | undefined;
  readonly #variables: ReadonlyMap<string, CelType>;

  constructor(
    environment: Declarations,
    parent?: Scope,
    variables: ReadonlyMap<string, CelType> = new Map(),
  ) {
    this.environment = environment;
    this.#parent = parent;
    this.#variables = variables;
  }

  /** Returns a child scope with the variables of a comprehension. */
  enter(variables: Iterable<readonly [string, CelType]>): Scope {
    return new Scope(this.environment, this, new Map(variables));
  }

  /** Resolves a name; names with longer container prefixes take precedence. */
  findIdent(name: string): Declared | undefined {
    for (const candidate of this.#candidates(name)) {
      const found = this.#local(candidate) ?? this.#global(candidate);
      if (found) return found;
    }
    return undefined;
  }

  findFunction(name: string): FunctionDeclaration | undefined {
    for (const candidate of this.#candidates(name)) {
      const found = this.environment.functions.get(candidate);
      if (found) return found;
    }
    return undefined;
  }

  findField(typeName: string, field: string): CelType | undefined {
    for (const provider of this.environment.typeProviders) {
      const found = provider.findField(typeName, field);
      if (found) return found;
    }
    return undefined;
  }

  findType(name: string): CelType | undefined {
    for (const provider of this.environment.typeProviders) {
      const found = provider.findType(name);
      if (found) return found;
    }
    return undefined;
  }

  #local(name: string): Declared | undefined {
    const type = this.#variables.get(name);
    if (type) return { name, type };
    return this.#parent ? this.#parent.#local(name) : undefined;
  }

  #global(name: string): Declared | undefined {
    const { variables, constants } = this.environment;
    const declared = variables.get(name) ?? constants.get(name);
    if (declared) return declared;
    const type = this.findType(name);
    return type && { name, type: typeOfType(type) };
  }

  /** https://github.com/google/cel-spec/blob/master/doc/langdef.md#name-resolution */
  *#candidates(name: string): Iterable<string> {
    if (name.startsWith('.')) {
      yield name.slice(1);
      return;
    }
    let { container } = this.environment;
    while (container !== '') {
      yield `${container}.${name}`;
      container = container.slice(0, Math.max(container.lastIndexOf('.'), 0));
    }
    yield name;
  }
}

/** Returns the qualified name that a chain of selections can be: `a.b.c`. */
export function qualifiedName(expr: Expr): string | undefined {
  if (expr.kind === 'ident') return expr.name;
  if (expr.kind !== 'select' || expr.testOnly) return undefined;
  const prefix = qualifiedName(expr.operand);
  return prefix === undefined ? undefined : `${prefix}.${expr.field}`;
}
