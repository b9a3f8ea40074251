import {
  type CheckedExpr,
  CompileError,
  type DeclaredType,
  declaredSizes,
  type Environment,
  estimateCostInPasses,
  EvaluationError,
  Program,
  ruleEnvironment,
  runtimeCostLimits,
} from '@annex/cel';
import type { Passes } from '@annex/machinery';
import type { SchemaNode } from '../node.ts';
import { followSchemaPath } from './schema-path.ts';
import type { ValidationRule } from './validation-rule.ts';

/** A compiled expression with its estimated maximum cost. */
export interface CompiledExpression {
  readonly program: Program;
  readonly maxCost: number;
}

/** A rule with its compiled expression or its compile error; a blank rule has neither. */
export interface CompiledRule {
  readonly rule: ValidationRule;
  readonly expression?: CompiledExpression;
  readonly error?: string;
  /** True for a transition rule, which is evaluated only if there is an old value. */
  readonly usesOldSelf: boolean;
  readonly message?: CompiledExpression;
  readonly messageError?: string;
  /** The printed `fieldPath`; empty if it is not set or invalid. */
  readonly fieldPath: string;
}

/** Compiles the rules of a node whose values have the type, on demand; it yields what `Passes` do between passes over a long rule. */
export function* compileRules(
  node: SchemaNode,
  type: DeclaredType,
): Generator<CompiledRule | 'long' | undefined, void, undefined> {
  const environments = new Map<boolean, Environment>();
  const environmentOf = (optional: boolean): Environment => {
    let environment = environments.get(optional);
    if (!environment) environments.set(optional, (environment = ruleEnvironment(type, optional)));
    return environment;
  };
  for (const rule of node.rules ?? []) {
    yield yield* compileRule(rule, node, type, environmentOf(rule.optionalOldSelf === true));
  }
}

function* compileRule(
  rule: ValidationRule,
  node: SchemaNode,
  type: DeclaredType,
  environment: Environment,
): Passes<CompiledRule> {
  const none = { rule, usesOldSelf: false, fieldPath: '' };
  if (rule.rule.trim() === '') return none;
  const checked = yield* checkExpression(rule.rule, environment);
  if (typeof checked === 'string') return { ...none, error: `compilation failed: ${checked}` };
  if (checked.resultType.kind !== 'bool') return { ...none, error: 'cel expression must evaluate to a bool' };
  const usesOldSelf = [...checked.references.values()].some(({ name }) => name === 'oldSelf');
  const expression = yield* instantiate(checked, type, environment);
  if (typeof expression === 'string') {
    return { ...none, usesOldSelf, error: `program instantiation failed: ${expression}` };
  }
  const message = rule.messageExpression === '' ? {} : yield* compileMessage(rule, type, environment);
  const fieldPath = message.messageError === undefined ? printedPath(rule, node) : '';
  return { rule, expression, usesOldSelf, ...message, fieldPath };
}

function* compileMessage(
  { messageExpression }: ValidationRule,
  type: DeclaredType,
  environment: Environment,
): Passes<Pick<CompiledRule, 'message' | 'messageError'>> {
  const checked = yield* checkExpression(messageExpression, environment);
  if (typeof checked === 'string') {
    return { messageError: `messageExpression compilation failed: ${checked}` };
  }
  if (checked.resultType.kind !== 'string') {
    return { messageError: 'messageExpression must evaluate to a string' };
  }
  const message = yield* instantiate(checked, type, environment);
  if (typeof message !== 'string') return { message };
  return { messageError: `messageExpression instantiation failed: ${message}` };
}

/** Returns the checked expression, or the error message. */
function* checkExpression(text: string, environment: Environment): Passes<CheckedExpr | string> {
  try {
    return yield* environment.compileInPasses(text);
  } catch (error) {
    if (error instanceof CompileError) return error.message;
    throw error;
  }
}

/** Returns the program, or the error message. */
function* instantiate(
  checked: CheckedExpr,
  type: DeclaredType,
  environment: Environment,
): Passes<CompiledExpression | string> {
  try {
    const program = yield* Program.inPasses(checked, environment, { costLimit: runtimeCostLimits.call });
    const { max: maxCost } = yield* estimateCostInPasses(checked, environment, declaredSizes(type));
    return { program, maxCost };
  } catch (error) {
    if (error instanceof EvaluationError) return error.message;
    throw error;
  }
}

function printedPath({ fieldPath }: ValidationRule, node: SchemaNode): string {
  if (fieldPath === '') return '';
  const found = followSchemaPath(fieldPath, node, true);
  return typeof found === 'string' ? '' : found.printed;
}
