import { Environment } from '../environment.ts';
import { CompileError, EvaluationError } from '../errors.ts';
import { Program } from '../evaluation/program.ts';
import { bindingsLibrary } from '../extensions/bindings.ts';
import { encodersLibrary } from '../extensions/encoders.ts';
import { mathLibrary } from '../extensions/math.ts';
import { optionalsLibrary } from '../extensions/optionals.ts';
import { stringsLibrary } from '../extensions/strings.ts';
import { twoVariablesLibrary } from '../extensions/two-variables.ts';
import type { Library } from '../functions/library.ts';
import { standardLibrary } from '../functions/standard.ts';
import type { ParsedExpr } from '../typing/checked.ts';
import type { VariableDeclaration } from '../typing/declarations.ts';
import {
  type CelType,
  listType,
  mapType,
  nullableType,
  opaqueType,
  optionalType,
  structType,
  typeOfType,
  typeParam,
  types,
} from '../typing/type.ts';
import type { Value } from '../values/value.ts';
import type { SpecCase, SpecDeclaration, SpecType } from './spec-case.ts';
import { notation, valueOf } from './spec-value.ts';

const environment = new Environment({
  libraries: [
    standardLibrary,
    optionalsLibrary,
    stringsLibrary(),
    mathLibrary,
    encodersLibrary,
    bindingsLibrary,
    twoVariablesLibrary,
  ],
  crossTypeComparisons: true,
  optionalSyntax: true,
  escapedIdentifiers: true,
  strictPresenceTests: true,
  uniqueKeys: true,
});

/** Runs a case and returns the error, or undefined if it passes. */
export function runCase({ original, type }: SpecCase): string | undefined {
  const { expr, value, evalError, typedResult, checkOnly } = original;
  const outcome = outcomeOf(original);
  if (evalError !== undefined) {
    const failed = outcome.error instanceof EvaluationError || outcome.error instanceof CompileError;
    return failed ? undefined : `${expr} is ${outcome.notation ?? String(outcome.error)}, not an error`;
  }
  if (outcome.error !== undefined) return `${expr} failed: ${String(outcome.error).split('\n')[0]}`;
  if (type !== undefined && outcome.type !== type)
    return `${expr} is of type ${String(outcome.type)}, not ${type}`;
  if (checkOnly) return undefined;
  const expected = valueOf(value ?? typedResult?.result ?? { boolValue: true });
  if (expected === undefined) return `${expr} should be ${JSON.stringify(value)}`;
  const expectedNotation = notation(expected);
  return outcome.notation === expectedNotation
    ? undefined
    : `${expr} is ${outcome.notation}, not ${expectedNotation}`;
}

interface Outcome {
  readonly type?: string;
  readonly notation?: string;
  readonly error?: unknown;
}

function outcomeOf({
  expr,
  container,
  typeEnv,
  bindings,
  disableCheck,
  checkOnly,
}: SpecCase['original']): Outcome {
  try {
    const extended = environment.extend({
      container: container ?? '',
      variables: (typeEnv ?? []).flatMap(variablesOf),
      libraries: [{ name: 'declared', functions: (typeEnv ?? []).flatMap(functionsOf) }],
    });
    const parsed = extended.parse(expr);
    const checked = disableCheck ? extended.unchecked(parsed) : extended.check(parsed);
    const type = typeIn(extended, parsed);
    if (checkOnly) return { type };
    const variables: Record<string, Value> = {};
    for (const [name, { value }] of Object.entries(bindings ?? {})) {
      const bound = value && valueOf(value);
      if (bound !== undefined) variables[name] = bound;
    }
    return { type, notation: notation(new Program(checked, extended).evaluate(variables).value) };
  } catch (error) {
    return { error };
  }
}

/** Returns the type that the checker infers, for unchecked cases too. */
function typeIn(extended: Environment, parsed: ParsedExpr): string {
  try {
    return String(extended.check(parsed).resultType);
  } catch (error) {
    return String(error);
  }
}

function variablesOf({ name, ident }: SpecDeclaration): VariableDeclaration[] {
  return ident ? [{ name, type: typeOf(ident.type) }] : [];
}

function functionsOf({ name, function: declared }: SpecDeclaration): NonNullable<Library['functions']> {
  if (!declared) return [];
  const overloads = declared.overloads.map(({ overloadId, params, resultType, isInstanceFunction }) => ({
    id: overloadId,
    args: (params ?? []).map(typeOf),
    result: typeOf(resultType),
    member: isInstanceFunction ?? false,
  }));
  return [{ name, overloads }];
}

const primitives: Readonly<Record<string, CelType>> = {
  BOOL: types.bool,
  BYTES: types.bytes,
  DOUBLE: types.double,
  INT64: types.int,
  STRING: types.string,
  UINT64: types.uint,
};
const wellKnown: Readonly<Record<string, CelType>> = {
  ANY: types.any,
  DURATION: types.duration,
  TIMESTAMP: types.timestamp,
};

function typeOf(spec: SpecType): CelType {
  const [kind, of] = Object.entries(spec)[0]! as [string, never];
  switch (kind) {
    case 'primitive':
      return primitives[of]!;
    case 'wellKnown':
      return wellKnown[of]!;
    case 'wrapper':
      return nullableType(primitives[of]!);
    case 'null':
      return types.null;
    case 'listType':
      return listType(typeOf(of['elemType']));
    case 'mapType':
      return mapType(typeOf(of['keyType']), typeOf(of['valueType']));
    case 'messageType':
      return structType(of);
    case 'typeParam':
      return typeParam(of);
    case 'type':
      return typeOfType(typeOf(of));
    case 'abstractType': {
      const { name, parameterTypes = [] } = of as { name: string; parameterTypes?: SpecType[] };
      const parameters = parameterTypes.map(typeOf);
      return name === 'optional_type' ? optionalType(parameters[0]!) : opaqueType(name, ...parameters);
    }
    default:
      return types.dyn;
  }
}
