import type { ConstantDeclaration, Library } from './functions/library.ts';
import type { Macro } from './syntax/macro.ts';
import { type Issue, Source } from './syntax/source.ts';
import { type ParseOptions, parse } from './syntax/parser.ts';
import type { CheckedExpr, ParsedExpr } from './typing/checked.ts';
import { check } from './typing/checker.ts';
import type { FunctionDeclaration, TypeProvider, VariableDeclaration } from './typing/declarations.ts';
import { checkLiteralTypes } from './typing/literal-types.ts';
import { typeOfType, types } from './typing/type.ts';
import { TypeValue } from './values/value.ts';
import { CompileError } from './errors.ts';

/** Finds mistakes that types do not show, such as a pattern that does not compile. */
export type Validator = (checked: CheckedExpr, environment: Environment) => readonly Issue[];

/** What expressions of an environment can use. */
export interface EnvironmentOptions {
  readonly libraries?: readonly Library[];
  readonly variables?: readonly VariableDeclaration[];
  /** Asked for types with fields in this order. */
  readonly typeProviders?: readonly TypeProvider[];
  /** The namespace in which names are looked up first: `google.rpc`. */
  readonly container?: string;
  /** Elements of a list literal must have one type, as keys and values of a map literal. */
  readonly homogeneousLiterals?: boolean;
  /** `1 < 2.0` compiles. */
  readonly crossTypeComparisons?: boolean;
  /** `a.?b`, `a[?b]`, `[?a]`, `{?a: b}` are syntax. */
  readonly optionalSyntax?: boolean;
  /** ``a.`b-c` `` is syntax. */
  readonly escapedIdentifiers?: boolean;
  /** Presence tests cost nothing, neither estimated nor when they are evaluated. */
  readonly freePresenceTests?: boolean;
  /** `has(x.y)` of what has no fields is an error, not false. */
  readonly strictPresenceTests?: boolean;
  /** A map literal with the same key twice is an error; otherwise the last one counts. */
  readonly uniqueKeys?: boolean;
  readonly validators?: readonly Validator[];
}

/** Declarations in which expressions are parsed, checked and compiled. It never changes: `extend` makes another. */
export class Environment {
  readonly options: EnvironmentOptions;
  readonly container: string;
  readonly functions: ReadonlyMap<string, FunctionDeclaration>;
  readonly variables: ReadonlyMap<string, VariableDeclaration>;
  readonly constants: ReadonlyMap<string, ConstantDeclaration>;
  readonly macros: ReadonlyMap<string, Macro>;
  readonly typeProviders: readonly TypeProvider[];
  readonly validators: readonly Validator[];

  /** What libraries declare is taken from another environment that has the same. */
  constructor(options: EnvironmentOptions, same?: Environment) {
    const libraries = distinct(options.libraries ?? []);
    this.options = options;
    this.container = options.container ?? '';
    this.functions =
      same?.functions ?? mergeFunctions(libraries.flatMap((library) => library.functions ?? []));
    this.variables = new Map(options.variables?.map((variable) => [variable.name, variable]));
    this.constants =
      same?.constants ?? new Map(libraries.flatMap(constantsOf).map((constant) => [constant.name, constant]));
    this.macros =
      same?.macros ??
      new Map(libraries.flatMap((library) => library.macros ?? []).map((m) => [macroKey(m), m]));
    this.typeProviders = options.typeProviders ?? [];
    this.validators = [
      ...new Set([
        ...libraries.flatMap((library) => library.validators ?? []),
        ...(options.homogeneousLiterals ? [checkLiteralTypes(libraries)] : []),
        ...(options.validators ?? []),
      ]),
    ];
  }

  /** This environment with more in it; later declarations of a variable replace earlier ones. */
  extend(more: EnvironmentOptions): Environment {
    const { options } = this;
    const extended = {
      ...options,
      ...more,
      libraries: [...(options.libraries ?? []), ...(more.libraries ?? [])],
      variables: [...(options.variables ?? []), ...(more.variables ?? [])],
      typeProviders: [...(options.typeProviders ?? []), ...(more.typeProviders ?? [])],
      validators: [...(options.validators ?? []), ...(more.validators ?? [])],
    };
    return new Environment(extended, more.libraries ? undefined : this);
  }

  /** The tree of a text; throws a `CompileError` with all mistakes. */
  parse(text: string): ParsedExpr {
    const source = new Source(text);
    const { expr, issues } = parse(source, this.#parseOptions());
    if (issues.length > 0) throw new CompileError(source, issues);
    return { source, expr };
  }

  /** The tree with its types; throws a `CompileError` with all mistakes. */
  check(parsed: ParsedExpr): CheckedExpr {
    const { checked, issues } = check(parsed, this);
    if (issues.length > 0) throw new CompileError(parsed.source, issues);
    const found = this.validators.flatMap((validate) => validate(checked, this));
    if (found.length > 0) throw new CompileError(parsed.source, found);
    return checked;
  }

  /** The tree as it is: names and overloads are found out when it is evaluated. */
  unchecked({ source, expr }: ParsedExpr): CheckedExpr {
    return { source, expr, types: new Map(), references: new Map(), resultType: types.dyn };
  }

  /** Parses and checks. */
  compile(text: string): CheckedExpr {
    return this.check(this.parse(text));
  }

  #parseOptions(): ParseOptions {
    return {
      macros: this.macros,
      optionalSyntax: this.options.optionalSyntax ?? false,
      escapedIdentifiers: this.options.escapedIdentifiers ?? false,
    };
  }
}

/** Libraries by their names: what is there already is not added again. */
function distinct(libraries: readonly Library[]): readonly Library[] {
  const named = new Map<string, Library>();
  for (const library of libraries) if (!named.has(library.name)) named.set(library.name, library);
  return [...named.values()];
}

/** The key under which an environment knows a macro. */
export function macroKey({ name, args, member }: Pick<Macro, 'name' | 'args' | 'member'>): string {
  return `${name}:${args}:${member}`;
}

function mergeFunctions(declarations: readonly FunctionDeclaration[]): Map<string, FunctionDeclaration> {
  const functions = new Map<string, FunctionDeclaration>();
  for (const declaration of declarations) {
    const known = functions.get(declaration.name);
    functions.set(declaration.name, known ? mergeOverloads(known, declaration) : declaration);
  }
  return functions;
}

/** An overload declared again replaces the one before, in its place. */
function mergeOverloads(known: FunctionDeclaration, more: FunctionDeclaration): FunctionDeclaration {
  const overloads = new Map(known.overloads.map((overload) => [overload.id, overload]));
  for (const overload of more.overloads) overloads.set(overload.id, overload);
  return { ...known, ...more, overloads: [...overloads.values()] };
}

function constantsOf(library: Library): readonly ConstantDeclaration[] {
  const named = (library.types ?? []).map((type) => ({
    name: type.name,
    type: typeOfType(type),
    value: new TypeValue(type),
  }));
  return [...named, ...(library.constants ?? [])];
}
