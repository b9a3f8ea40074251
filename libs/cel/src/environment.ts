import { DividedVisit, finish, type Passes, pushAll } from '@annex/machinery';
import type { Library, Validator } from './functions/library.ts';
import { descendants } from './syntax/descendants.ts';
import { inPasses, partsAtOnce } from './syntax/visit-in-passes.ts';
import type { Macro } from './syntax/macro.ts';
import { type Issue, Source } from './syntax/source.ts';
import { parse } from './syntax/parser.ts';
import type { ParseOptions } from './syntax/tree-builder.ts';
import type { CheckedExpr, ParsedExpr } from './typing/checked.ts';
import { check } from './typing/checker.ts';
import type {
  ConstantDeclaration,
  Declarations,
  FunctionDeclaration,
  TypeProvider,
  VariableDeclaration,
} from './typing/declarations.ts';
import { checkLiteralTypes } from './typing/literal-types.ts';
import { typeOfType, types } from './typing/type.ts';
import { TypeValue } from './values/value.ts';
import { CompileError } from './errors.ts';

/** The declarations and settings of an environment. */
export interface EnvironmentOptions {
  readonly libraries?: readonly Library[];
  readonly variables?: readonly VariableDeclaration[];
  /** Queried in this order for types with fields. */
  readonly typeProviders?: readonly TypeProvider[];
  /** The namespace in which names are resolved first: `google.rpc`. */
  readonly container?: string;
  /** Requires one type for all elements of a list literal, and for all keys and all values of a map literal. */
  readonly homogeneousLiterals?: boolean;
  /** Accepts comparisons between numeric types: `1 < 2.0`. */
  readonly crossTypeComparisons?: boolean;
  /** Accepts the syntax `a.?b`, `a[?b]`, `[?a]`, `{?a: b}`. */
  readonly optionalSyntax?: boolean;
  /** Accepts the syntax ``a.`b-c` ``. */
  readonly escapedIdentifiers?: boolean;
  /** Presence tests cost nothing, in estimates and in evaluations. */
  readonly freePresenceTests?: boolean;
  /** `has(x.y)` fails if `x` is a value without fields; otherwise it returns false. */
  readonly strictPresenceTests?: boolean;
  /** A map literal with a duplicate key fails; otherwise the last entry is used. */
  readonly uniqueKeys?: boolean;
  readonly validators?: readonly Validator[];
}

/** The declarations used to parse, check and compile expressions. It is immutable; `extend` returns a new one. */
export class Environment implements Declarations {
  readonly options: EnvironmentOptions;
  readonly container: string;
  readonly functions: ReadonlyMap<string, FunctionDeclaration>;
  readonly variables: ReadonlyMap<string, VariableDeclaration>;
  readonly constants: ReadonlyMap<string, ConstantDeclaration>;
  readonly macros: ReadonlyMap<string, Macro>;
  readonly typeProviders: readonly TypeProvider[];
  readonly validators: readonly Validator[];

  /** Reuses what `base` has of its libraries and validators, which must be the same. */
  constructor(options: EnvironmentOptions, base: LibraryParts = partsOf(options)) {
    this.options = options;
    this.container = options.container ?? '';
    this.functions = base.functions;
    this.variables = new Map(options.variables?.map((variable) => [variable.name, variable]));
    this.constants = base.constants;
    this.macros = base.macros;
    this.typeProviders = options.typeProviders ?? [];
    this.validators = base.validators;
  }

  /** Returns this environment with additions; later declarations of a variable replace earlier ones. */
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
    const changesParts = more.libraries ?? more.validators ?? more.homogeneousLiterals;
    return changesParts === undefined ? new Environment(extended, this) : new Environment(extended);
  }

  /** Returns the syntax tree of an expression; throws a `CompileError` with all errors. */
  parse(text: string): ParsedExpr {
    return finish(this.#parse(text));
  }

  *#parse(text: string): Passes<ParsedExpr> {
    const source = new Source(text);
    const { expr, issues } = yield* parse(source, this.#parseOptions());
    if (issues.length > 0) throw new CompileError(source, issues);
    return { source, expr };
  }

  /** Returns the tree with types and references; throws a `CompileError` with all errors. */
  check(parsed: ParsedExpr): CheckedExpr {
    return finish(this.#check(parsed));
  }

  *#check(parsed: ParsedExpr): Passes<CheckedExpr> {
    const { checked, issues } = yield* check(parsed, this);
    if (issues.length > 0) throw new CompileError(parsed.source, issues);
    const found = yield* this.#validate(checked);
    if (found.length > 0) throw new CompileError(parsed.source, found);
    return checked;
  }

  *#validate(checked: CheckedExpr): Passes<readonly Issue[]> {
    const found: Issue[] = [];
    const visit = new DividedVisit(partsAtOnce);
    const all = yield* inPasses(descendants(checked.expr));
    for (const validator of this.validators) {
      const isExempt = validator.isExempt?.bind(validator);
      const nodes = isExempt ? yield* inPasses(descendants(checked.expr, isExempt)) : all;
      yield* visit.each(nodes, (node) => pushAll(found, validator.issuesOf(node, checked, this)));
    }
    return found;
  }

  /** Returns the tree without types: names and overloads are resolved during evaluation. */
  unchecked({ source, expr }: ParsedExpr): CheckedExpr {
    return { source, expr, types: new Map(), references: new Map(), resultType: types.dyn };
  }

  /** Returns the checked tree of an expression; throws a `CompileError` with all errors. */
  compile(text: string): CheckedExpr {
    return finish(this.compileInPasses(text));
  }

  /** The same, in passes over the expression. */
  *compileInPasses(text: string): Passes<CheckedExpr> {
    return yield* this.#check(yield* this.#parse(text));
  }

  #parseOptions(): ParseOptions {
    return {
      macros: this.macros,
      optionalSyntax: this.options.optionalSyntax ?? false,
      escapedIdentifiers: this.options.escapedIdentifiers ?? false,
    };
  }
}

/** What an environment takes from its libraries, with the validators. */
type LibraryParts = Pick<Environment, 'functions' | 'constants' | 'macros' | 'validators'>;

function partsOf(options: EnvironmentOptions): LibraryParts {
  const libraries = distinct(options.libraries ?? []);
  return {
    functions: mergeFunctions(libraries.flatMap((library) => library.functions ?? [])),
    constants: new Map(libraries.flatMap(constantsOf).map((constant) => [constant.name, constant])),
    macros: new Map(libraries.flatMap((library) => library.macros ?? []).map((m) => [macroKey(m), m])),
    validators: [
      ...new Set([
        ...libraries.flatMap((library) => library.validators ?? []),
        ...(options.homogeneousLiterals ? [checkLiteralTypes(libraries)] : []),
        ...(options.validators ?? []),
      ]),
    ],
  };
}

/** Keeps the first library of each name. */
function distinct(libraries: readonly Library[]): readonly Library[] {
  const named = new Map<string, Library>();
  for (const library of libraries) if (!named.has(library.name)) named.set(library.name, library);
  return [...named.values()];
}

/** Returns the key of a macro in `Environment.macros`. */
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

/** An overload with a known id replaces the earlier one and keeps its position. */
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
