import type { Environment } from '../environment.ts';
import { type Recursion, visit } from '../syntax/visit-in-passes.ts';
import type {
  Call,
  Comprehension,
  Expr,
  Ident,
  ListLiteral,
  Literal,
  MapLiteral,
  Select,
  StructLiteral,
} from '../syntax/expr.ts';
import type { CheckedExpr } from '../typing/checked.ts';
import { qualifiedName, Scope } from '../typing/scope.ts';
import { isList } from '../values/container.ts';
import { EntryMap } from '../values/map.ts';
import type { Value } from '../values/value.ts';
import { access, accessAt, accessOptional, accessOptionalAt, isLookupKey, isPresent } from './access.ts';
import { listStep, mapStep, structStep } from './aggregates.ts';
import { callCode, type ResolvedCall } from './calls.ts';
import { alternative, conditional, logical, notStrictlyFalse } from './control.ts';
import type { CallImplementation as Implementation } from './dispatch.ts';
import { equality } from './equality.ts';
import { appending, foldCode } from './folds.ts';
import { type Code, Frame } from './frame.ts';
import { localStep, variableStep } from './variable.ts';
import { membership } from './membership.ts';
import { attributeOf, attributeStep, constantStep, outcomeOf, resolveOf, type Step } from './step.ts';

interface Local {
  readonly slot: number;
  /** Computes the value on first use, for a variable that is never assigned. */
  readonly init?: Code;
  /** True for a list or map that only the fold references, so that it can be changed in place. */
  readonly growing?: boolean;
}

/** The variables of the enclosing comprehensions. */
type Locals = ReadonlyMap<string, Local>;

/** Compiles a checked expression to closures, one for each node, in passes over the nodes. */
export class Compiler {
  readonly #checked: CheckedExpr;
  readonly #environment: Environment;
  readonly #strict: boolean;
  /** The indices of the environment's variables. */
  readonly variables = new Map<string, number>();
  /** The number of slots for the variables of comprehensions. */
  slotCount = 0;
  #freeSlot = 0;

  constructor(checked: CheckedExpr, environment: Environment) {
    this.#checked = checked;
    this.#environment = environment;
    this.#strict = environment.options.strictPresenceTests ?? false;
  }

  compile(expr: Expr, locals: Locals = new Map()): Recursion<Step> {
    switch (expr.kind) {
      case 'literal':
        return this.#literal(expr);
      case 'ident':
        return this.#name(expr, locals);
      case 'select':
        return this.#selection(expr, locals);
      case 'call':
        return this.#call(expr, locals);
      case 'list':
        return this.#list(expr, locals);
      case 'map':
        return this.#map(expr, locals);
      case 'struct':
        return this.#struct(expr, locals);
      case 'comprehension':
        return this.#comprehension(expr, locals);
    }
  }

  *#literal({ value }: Literal): Recursion<Step> {
    return constantStep(value);
  }

  *#name(expr: Ident, locals: Locals): Recursion<Step> {
    return this.#ident(expr, locals);
  }

  *#selection(expr: Select, locals: Locals): Recursion<Step> {
    const qualified = this.#qualified(expr, locals);
    return qualified ?? this.#select(expr, yield* visit(this.compile(expr.operand, locals)));
  }

  *#list({ elements, optional }: ListLiteral, locals: Locals): Recursion<Step> {
    const steps = yield* this.#compileAll(elements, locals);
    return listStep(steps.map((step, i) => ({ step, optional: optional.has(i) })));
  }

  *#compileAll(exprs: readonly Expr[], locals: Locals): Recursion<readonly Step[]> {
    const steps: Step[] = [];
    for (const expr of exprs) steps.push(yield* visit(this.compile(expr, locals)));
    return steps;
  }

  #ident(expr: Ident, locals: Locals): Step {
    const { name } = expr;
    const local = locals.get(name);
    const reference = this.#checked.references.get(expr.id);
    const unresolved = reference || local ? undefined : this.#environment.constants.get(name);
    const constant = reference?.value ?? unresolved?.value;
    if (constant !== undefined) return constantStep(constant);
    return local ? localStep(name, local.slot, local.init) : variableStep(name, this.#variable(name));
  }

  /** Compiles `a.b.c` as a qualified name, for expressions that were not type-checked. */
  #qualified(expr: Select, locals: Locals): Step | undefined {
    const name = this.#checked.types.size === 0 ? qualifiedName(expr) : undefined;
    if (name === undefined || locals.has(name.split('.', 1)[0]!)) return undefined;
    const declared = new Scope(this.#environment).findIdent(name);
    return declared && this.#ident({ ...expr, kind: 'ident', name: declared.name }, locals);
  }

  #variable(name: string): number {
    let index = this.variables.get(name);
    if (index === undefined) this.variables.set(name, (index = this.variables.size));
    return index;
  }

  #select({ field, testOnly }: Select, operand: Step): Step {
    const { resolve, unit } = attributeOf(operand);
    const { freePresenceTests } = this.#environment.options;
    const strict = this.#strict;
    const look = testOnly ? isPresent : access;
    return attributeStep(
      (cost) => (frame) => {
        frame.cost += cost;
        return look(resolve(frame), field, frame, strict);
      },
      testOnly && freePresenceTests ? unit - 1 : unit,
    );
  }

  #index([operand, index]: readonly Step[], optional: boolean): Step {
    const { resolve, unit } = attributeOf(operand!);
    const { constant } = index!;
    const strict = this.#strict;
    if (constant !== undefined && isLookupKey(constant)) {
      const look = optional ? accessOptional : access;
      return attributeStep(
        (cost) => (frame) => {
          frame.cost += cost;
          return look(resolve(frame), constant, frame, strict);
        },
        unit,
      );
    }
    const key = resolveOf(index!);
    const look = optional ? accessOptionalAt : accessAt;
    return attributeStep(
      (cost) => (frame) => {
        frame.cost += cost;
        return look(resolve(frame), key, frame, strict);
      },
      unit,
    );
  }

  *#call(expr: Call, locals: Locals): Recursion<Step> {
    const exprs = expr.target ? [expr.target, ...expr.args] : expr.args;
    const args = yield* this.#compileAll(exprs, locals);
    switch (expr.name) {
      case '_&&_':
        return logical(args, false);
      case '_||_':
        return logical(args, true);
      case '_?_:_':
        return conditional(args);
      case '@not_strictly_false':
        return { code: notStrictlyFalse(args[0]!) };
      case '_[_]':
        return this.#index(args, false);
      case '_?._':
      case '_[?_]':
        return this.#index(args, true);
      default:
        return this.#function(expr, this.#resolve(expr, exprs, args), locals);
    }
  }

  #resolve(expr: Call, exprs: readonly Expr[], args: readonly Step[]): ResolvedCall {
    const declared = this.#environment.functions.get(expr.name) ?? { name: expr.name, overloads: [] };
    const ids = this.#checked.references.get(expr.id)?.overloads ?? [];
    const candidates = declared.overloads.filter(({ id }) => ids.length !== 1 || id === ids[0]);
    const types = exprs.map(({ id }) => this.#checked.types.get(id));
    return { declared, candidates, args, types };
  }

  #function(expr: Call, resolved: ResolvedCall, locals: Locals): Step {
    const { args, candidates, declared } = resolved;
    const [first, second] = args;
    if (expr.name === '_==_' || expr.name === '_!=_')
      return { code: equality(first!.code, second!.code, expr.name === '_!=_', declared.cost) };
    const only = candidates.length === 1 ? candidates[0] : undefined;
    if (only?.lazy) return { code: alternative(first!.code, second!.code, only.lazy === 'value') };
    if (only?.id === 'in_list' && second!.constant !== undefined && isList(second!.constant)) {
      const known = membership(first!.code, second!.constant);
      if (known) return known;
    }
    const holder = expr.args[0];
    const local = holder?.kind === 'ident' ? locals.get(holder.name) : undefined;
    const grows = only?.grow && local?.growing;
    if (grows && only.id === 'add_list' && second!.element)
      return { code: appending(local.slot, second!.element) };
    const code = callCode(resolved, grows ? (only.grow as Implementation) : undefined);
    const converted = conversions.has(expr.name) && args.length === 1 && first!.constant !== undefined;
    return converted ? constantStep(code(new Frame([], 0, Infinity))) : { code };
  }

  *#map({ entries }: MapLiteral, locals: Locals): Recursion<Step> {
    const steps: { key: Step; value: Step; optional: boolean }[] = [];
    for (const { key, value, optional } of entries) {
      const keyStep = yield* visit(this.compile(key, locals));
      steps.push({ key: keyStep, value: yield* visit(this.compile(value, locals)), optional });
    }
    return mapStep(steps, this.#environment.options.uniqueKeys ?? false);
  }

  *#struct({ typeName, fields }: StructLiteral, locals: Locals): Recursion<Step> {
    const provider = this.#environment.typeProviders.find((each) => each.findType(typeName));
    const values = yield* this.#compileAll(
      fields.map(({ value }) => value),
      locals,
    );
    const steps = fields.map(({ name, optional }, i) => ({ name, step: values[i]!, optional }));
    return structStep(typeName, provider, steps);
  }

  *#comprehension(expr: Comprehension, locals: Locals): Recursion<Step> {
    const slot = this.#takeSlot();
    const step = isConstant(expr.condition, false)
      ? yield* this.#binding(expr, slot, locals)
      : yield* this.#fold(expr, slot, locals);
    // Comprehensions after this one use its slots again, so that there are few to keep between passes.
    this.#freeSlot = slot;
    return step;
  }

  *#binding(expr: Comprehension, slot: number, locals: Locals): Recursion<Step> {
    const usedBefore = this.slotCount;
    this.slotCount = this.#freeSlot;
    const { code: init } = yield* visit(this.compile(expr.init, locals));
    // The result computes the value at first use, while its own slots are in use.
    this.#freeSlot = this.slotCount;
    this.slotCount = Math.max(usedBefore, this.slotCount);
    const around = new Map(locals).set(expr.accumulator, { slot, init });
    const { code: result } = yield* visit(this.compile(expr.result, around));
    return { code: (frame) => ((frame.slots[slot] = undefined), result(frame)) };
  }

  *#fold(expr: Comprehension, slot: number, locals: Locals): Recursion<Step> {
    const { code: init } = yield* visit(this.compile(expr.init, locals));
    const growing = isEmpty(expr.init);
    const around = new Map(locals).set(expr.accumulator, { slot, growing });
    const { code: range } = yield* visit(this.compile(expr.range, locals));
    const first = this.#takeSlot();
    const second = this.#takeSlot();
    const inside = new Map(around).set(expr.variable, { slot: first });
    if (expr.variable2 !== undefined) inside.set(expr.variable2, { slot: second });
    const code = foldCode({
      range,
      init: growing ? emptyCode(expr.init) : init,
      condition: isConstant(expr.condition, true)
        ? undefined
        : outcomeOf(yield* visit(this.compile(expr.condition, inside))),
      step: outcomeOf(yield* visit(this.compile(expr.step, inside))),
      result: (yield* visit(this.compile(expr.result, around))).code,
      accumulator: slot,
      first,
      ...(expr.variable2 !== undefined && { second }),
    });
    return { code };
  }

  #takeSlot(): number {
    const slot = this.#freeSlot++;
    this.slotCount = Math.max(this.slotCount, this.#freeSlot);
    return slot;
  }
}

/** Functions whose calls with constants are evaluated at compile time. An error in one of them is an error of the program. */
const conversions: ReadonlySet<string> = new Set([
  'bool',
  'bytes',
  'double',
  'duration',
  'dyn',
  'int',
  'string',
  'timestamp',
  'type',
  'uint',
]);

function isConstant(expr: Expr, value: Value): boolean {
  return expr.kind === 'literal' && expr.value === value;
}

/** Returns a new list or map for each fold, which the fold can change in place. */
function emptyCode(expr: Expr): Code {
  return expr.kind === 'list' ? () => [] : () => new EntryMap();
}

function isEmpty(expr: Expr): boolean {
  return (
    (expr.kind === 'list' && expr.elements.length === 0) || (expr.kind === 'map' && expr.entries.length === 0)
  );
}
