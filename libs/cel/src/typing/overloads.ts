import type { Call, Expr } from '../syntax/expr.ts';
import type { FunctionDeclaration, Overload } from './declarations.ts';
import { isDyn, mapParameters, type Substitution } from './substitution.ts';
import { type CelType, sameType, types } from './type.ts';

/** The types of checked nodes, and the list of errors. */
interface ExprTypes {
  readonly substitution: Substitution;
  typeOf(expr: Expr): CelType;
  report(at: { readonly offset: number }, message: string): void;
}

/** The overloads that a call can resolve to, and its result type. */
interface Resolution {
  readonly overloads: readonly string[];
  readonly type: CelType;
}

/** Returns the overloads that match the arguments; reports an error and returns undefined if there is none. */
export function resolveOverload(
  call: Call,
  declared: FunctionDeclaration,
  checker: ExprTypes,
  crossTypeComparisons: boolean | undefined,
): Resolution | undefined {
  const args = call.target ? [call.target, ...call.args] : call.args;
  const argTypes = args.map((arg) => checker.typeOf(arg));
  const found: string[] = [];
  let result: CelType | undefined;
  for (const overload of declared.overloads) {
    if ((overload.member ?? false) !== (call.target !== undefined)) continue;
    if (!crossTypeComparisons && isCrossType(overload)) continue;
    if (call.name === '_&&_' || call.name === '_||_') return resolveLogical(call, overload, checker);
    const { parameters, returns } = instantiate(overload, checker);
    if (!checker.substitution.assignAll(argTypes, parameters)) continue;
    found.push(overload.id);
    const type = checker.substitution.apply(returns);
    if (!result) result = type;
    else if (!isDyn(result) && !sameType(type, result)) result = types.dyn;
  }
  if (result) return { overloads: found, type: result };
  const shown = argTypes.map((type) => checker.substitution.apply(type, true));
  const signature = call.target ? `${shown[0]}.(${shown.slice(1).join(', ')})` : `(${shown.join(', ')})`;
  checker.report(call, `found no matching overload for '${declared.name}' applied to '${signature}'`);
  return undefined;
}

/** Resolves `&&` and `||`, and reports each operand that is not a bool. */
function resolveLogical(call: Call, overload: Overload, checker: ExprTypes): Resolution | undefined {
  const notBool = call.args.filter((arg) => !checker.substitution.assign(checker.typeOf(arg), types.bool));
  for (const arg of notBool) checker.report(arg, `expected type 'bool' but found '${checker.typeOf(arg)}'`);
  return notBool.length > 0 ? undefined : { overloads: [overload.id], type: types.bool };
}

/** Returns the signature with fresh type parameters, so that calls do not share them. */
function instantiate(
  overload: Overload,
  checker: ExprTypes,
): { parameters: readonly CelType[]; returns: CelType } {
  const fresh = new Map<string, CelType>();
  const replace = (type: CelType): CelType => {
    if (type.kind !== 'typeParam') return mapParameters(type, replace);
    let parameter = fresh.get(type.name);
    if (!parameter) fresh.set(type.name, (parameter = checker.substitution.freshParameter()));
    return parameter;
  };
  return { parameters: overload.args.map(replace), returns: replace(overload.result) };
}

/** Returns true for comparisons between different numeric types. */
function isCrossType({ id, args }: Overload): boolean {
  return id.startsWith('less_') || id.startsWith('greater_') ? args[0]!.kind !== args[1]!.kind : false;
}
