import { DividedVisit, type Passes } from '@annex/machinery';
import type {
  Call,
  Comprehension,
  Expr,
  Ident,
  ListLiteral,
  Literal,
  MapEntry,
  MapLiteral,
  Select,
  StructField,
  StructLiteral,
} from '../syntax/expr.ts';
import { inPasses, type Recursion, visit } from '../syntax/visit-in-passes.ts';
import type { Issue } from '../syntax/source.ts';
import type { CheckedExpr, ParsedExpr, Reference } from './checked.ts';
import type { Declarations, FunctionDeclaration } from './declarations.ts';
import { resolveOverload } from './overloads.ts';
import { qualifiedName, Scope } from './scope.ts';
import { isDyn, isDynOrError, mostGeneral, Substitution } from './substitution.ts';
import { runtimeType } from '../values/kind.ts';
import type { CelType } from './type.ts';
import { listType, mapType, optionalType, types } from './type.ts';

/** Type-checks an expression and returns all errors; the types are valid only if there are none. */
export function* check(
  parsed: ParsedExpr,
  environment: Declarations,
): Passes<{ checked: CheckedExpr; issues: readonly Issue[] }> {
  const checker = new Checker(environment);
  const expr = yield* inPasses(checker.check(parsed.expr, new Scope(environment)));
  const types = yield* checker.finalTypes();
  const { references, issues } = checker;
  return {
    checked: { source: parsed.source, expr, types, references, resultType: types.get(expr.id)! },
    issues,
  };
}

/** Infers the type of each node; returns the tree with resolved names. */
export class Checker {
  readonly issues: Issue[] = [];
  readonly references = new Map<number, Reference>();
  readonly substitution = new Substitution();
  readonly #environment: Declarations;
  readonly #types = new Map<number, CelType>();

  constructor(environment: Declarations) {
    this.#environment = environment;
  }

  /** Returns all types; unbound parameters become `dyn`. */
  *finalTypes(): Passes<ReadonlyMap<number, CelType>> {
    const { substitution } = this;
    const types = this.#types;
    yield* new DividedVisit().each(types, ([id, type]) => types.set(id, substitution.apply(type, true)));
    return types;
  }

  typeOf(expr: Expr): CelType {
    return this.#types.get(expr.id)!;
  }

  report(at: { readonly offset: number }, message: string): void {
    this.issues.push({ offset: at.offset, message });
  }

  check(expr: Expr, scope: Scope): Recursion<Expr> {
    switch (expr.kind) {
      case 'literal':
        return this.#checkLiteral(expr);
      case 'ident':
        return this.#checkName(expr, scope);
      case 'select':
        return this.#checkSelect(expr, scope);
      case 'call':
        return this.#checkCall(expr, scope);
      case 'list':
        return this.#checkList(expr, scope);
      case 'map':
        return this.#checkMap(expr, scope);
      case 'struct':
        return this.#checkStruct(expr, scope);
      case 'comprehension':
        return this.#checkComprehension(expr, scope);
    }
  }

  *#checkLiteral(expr: Literal): Recursion<Expr> {
    return this.#typed(expr, runtimeType(expr.value));
  }

  *#checkName(expr: Ident, scope: Scope): Recursion<Expr> {
    return this.#checkIdent(expr, expr.name, scope) ?? this.#undeclared(expr, expr.name);
  }

  #typed<E extends Expr>(expr: E, type: CelType): E {
    this.#types.set(expr.id, type);
    return expr;
  }

  #undeclared(expr: Expr, name: string): Expr {
    this.report(expr, `undeclared reference to '${name}' (in container '${this.#environment.container}')`);
    return this.#typed(expr, types.error);
  }

  #checkIdent(expr: Expr, name: string, scope: Scope): Expr | undefined {
    const declared = scope.findIdent(name);
    if (!declared) return undefined;
    this.references.set(expr.id, {
      name: declared.name,
      ...(declared.value !== undefined && { value: declared.value }),
    });
    return this.#typed(
      { kind: 'ident', id: expr.id, offset: expr.offset, name: declared.name },
      declared.type,
    );
  }

  *#checkSelect(expr: Select, scope: Scope): Recursion<Expr> {
    const name = qualifiedName(expr);
    const ident = name === undefined ? undefined : this.#checkIdent(expr, name, scope);
    if (ident) return ident;
    const operand = yield* visit(this.check(expr.operand, scope));
    const field = this.#fieldType(expr, operand, expr.field, false, scope);
    const type = expr.testOnly ? types.bool : this.substitution.apply(field);
    return this.#typed({ ...expr, operand }, type);
  }

  #fieldType(at: Expr, operand: Expr, field: string, optional: boolean, scope: Scope): CelType {
    const operandType = this.substitution.apply(this.typeOf(operand));
    const target = unwrapOptional(operandType);
    const type = this.#selectedType(at, target ?? operandType, field, scope);
    return target || optional ? optionalType(type) : type;
  }

  #selectedType(at: Expr, type: CelType, field: string, scope: Scope): CelType {
    switch (type.kind) {
      case 'map':
        return type.parameters[1]!;
      case 'struct':
        return this.#structFieldType(at, type.name, field, scope);
      case 'typeParam':
        this.substitution.assign(types.dyn, type);
        return types.dyn;
      default:
        if (!isDynOrError(type)) this.report(at, `type '${type}' does not support field selection`);
        return types.dyn;
    }
  }

  #structFieldType(at: { readonly offset: number }, typeName: string, field: string, scope: Scope): CelType {
    if (!scope.findType(typeName)) {
      this.report(at, `unexpected failed resolution of '${typeName}'`);
      return types.error;
    }
    const type = scope.findField(typeName, field);
    if (!type) this.report(at, `undefined field '${field}'`);
    return type ?? types.error;
  }

  *#checkCall(expr: Call, scope: Scope): Recursion<Expr> {
    if (expr.name === '_?._') return yield* this.#checkOptionalSelect(expr, scope);
    const args: Expr[] = [];
    for (const arg of expr.args) args.push(yield* visit(this.check(arg, scope)));
    if (!expr.target) {
      const declared = scope.findFunction(expr.name);
      if (!declared) return this.#undeclared(expr, expr.name);
      return this.#resolved({ ...expr, name: declared.name, args }, declared);
    }
    const prefix = qualifiedName(expr.target);
    const qualified = prefix === undefined ? undefined : scope.findFunction(`${prefix}.${expr.name}`);
    if (qualified) {
      const { target: _, ...global } = expr;
      return this.#resolved({ ...global, name: qualified.name, args }, qualified);
    }
    const target = yield* visit(this.check(expr.target, scope));
    const declared = scope.findFunction(expr.name);
    if (!declared) return this.#undeclared(expr, expr.name);
    return this.#resolved({ ...expr, target, args }, declared);
  }

  #resolved(call: Call, declared: FunctionDeclaration): Expr {
    const resolution = resolveOverload(call, declared, this, this.#environment.options.crossTypeComparisons);
    if (resolution) this.references.set(call.id, { overloads: resolution.overloads });
    return this.#typed(call, resolution?.type ?? types.error);
  }

  *#checkOptionalSelect(expr: Call, scope: Scope): Recursion<Expr> {
    const [operandExpr, field] = expr.args;
    if (expr.args.length !== 2 || expr.target) {
      const member = expr.target ? ' member call with' : '';
      const message = `incorrect signature.${member} argument count: ${expr.args.length}`;
      this.report(expr, `unsupported optional field selection: ${message}`);
      return this.#typed(expr, types.error);
    }
    if (field!.kind !== 'literal' || typeof field!.value !== 'string') {
      this.report(field!, 'unsupported optional field selection');
      return this.#typed(expr, types.error);
    }
    const operand = yield* visit(this.check(operandExpr!, scope));
    const type = this.substitution.apply(this.#fieldType(expr, operand, field!.value, true, scope));
    this.references.set(expr.id, { overloads: ['select_optional_field'] });
    return this.#typed({ ...expr, args: [operand, yield* visit(this.check(field!, scope))] }, type);
  }

  *#checkList(expr: ListLiteral, scope: Scope): Recursion<Expr> {
    let elementType: CelType | undefined;
    const elements: Expr[] = [];
    for (const [i, elementExpr] of expr.elements.entries()) {
      const element = yield* visit(this.check(elementExpr, scope));
      const type = expr.optional.has(i) ? this.#presentType(element) : this.typeOf(element);
      elementType = this.#join(elementType, type);
      elements.push(element);
    }
    return this.#typed({ ...expr, elements }, listType(elementType ?? this.substitution.freshParameter()));
  }

  *#checkMap(expr: MapLiteral, scope: Scope): Recursion<Expr> {
    let keyType: CelType | undefined;
    let valueType: CelType | undefined;
    const entries: MapEntry[] = [];
    for (const entry of expr.entries) {
      const key = yield* visit(this.check(entry.key, scope));
      keyType = this.#join(keyType, this.typeOf(key));
      const value = yield* visit(this.check(entry.value, scope));
      valueType = this.#join(valueType, entry.optional ? this.#presentType(value) : this.typeOf(value));
      entries.push({ ...entry, key, value });
    }
    const key = keyType ?? this.substitution.freshParameter();
    return this.#typed({ ...expr, entries }, mapType(key, valueType ?? this.substitution.freshParameter()));
  }

  /** Returns the type of an optional element's value. */
  #presentType(expr: Expr): CelType {
    const type = this.typeOf(expr);
    const present = unwrapOptional(type);
    if (!present && !isDyn(type))
      this.report(expr, `expected type '${optionalType(type)}' but found '${type}'`);
    return present ?? type;
  }

  #join(previous: CelType | undefined, current: CelType): CelType {
    if (!previous) return current;
    if (this.substitution.assign(previous, current)) return mostGeneral(previous, current);
    return types.dyn;
  }

  *#checkStruct(expr: StructLiteral, scope: Scope): Recursion<Expr> {
    const declared = scope.findIdent(expr.typeName);
    if (!declared) return this.#undeclared(expr, expr.typeName);
    this.references.set(expr.id, { name: declared.name });
    const type = this.#messageType(expr, declared.type);
    const fields: StructField[] = [];
    for (const field of expr.fields) {
      const value = yield* visit(this.check(field.value, scope));
      const fieldType = this.#structFieldType(field, declared.name, field.name, scope);
      const valueType = field.optional ? this.#presentType(value) : this.typeOf(value);
      if (!this.substitution.assign(fieldType, valueType)) {
        const found = `expected type of field '${field.name}' is '${fieldType}' but provided type is '${valueType}'`;
        this.report(field, found);
      }
      fields.push({ ...field, value });
    }
    return this.#typed({ ...expr, typeName: declared.name, fields }, type);
  }

  #messageType(at: Expr, declared: CelType): CelType {
    if (declared.kind === 'error') return types.error;
    const type = declared.parameters[0];
    if (declared.kind !== 'type' || !type) {
      this.report(at, `'${declared}' is not a type`);
      return types.error;
    }
    if (type.kind === 'struct' || isWellKnown(type)) return type;
    this.report(at, `'${type}' is not a message type`);
    return types.error;
  }

  *#checkComprehension(expr: Comprehension, scope: Scope): Recursion<Expr> {
    const range = yield* visit(this.check(expr.range, scope));
    const init = yield* visit(this.check(expr.init, scope));
    const accumulatorType = this.typeOf(init);
    const around = scope.enter([[expr.accumulator, accumulatorType]]);
    const [first, second] = this.#iterationTypes(range, expr.variable2 !== undefined);
    const inside = around.enter([
      [expr.variable, first],
      ...(expr.variable2 === undefined ? [] : [[expr.variable2, second] as const]),
    ]);
    const condition = yield* visit(this.check(expr.condition, inside));
    this.#assertType(condition, types.bool);
    const step = yield* visit(this.check(expr.step, inside));
    this.#assertType(step, accumulatorType);
    const result = yield* visit(this.check(expr.result, around));
    const type = this.substitution.apply(this.typeOf(result));
    return this.#typed({ ...expr, range, init, condition, step, result }, type);
  }

  #iterationTypes(range: Expr, two: boolean): readonly [CelType, CelType] {
    const type = this.substitution.apply(this.typeOf(range));
    const [first, second] = type.parameters;
    switch (type.kind) {
      case 'list':
        return two ? [types.int, first!] : [first!, types.error];
      case 'map':
        return [first!, second!];
      case 'dyn':
      case 'error':
      case 'typeParam':
        this.substitution.assign(types.dyn, type);
        return [types.dyn, types.dyn];
      default: {
        const needed = 'cannot be range of a comprehension (must be list, map, or dynamic)';
        this.report(range, `expression of type '${type}' ${needed}`);
        return [types.error, types.error];
      }
    }
  }

  #assertType(expr: Expr, type: CelType): void {
    if (this.substitution.assign(type, this.typeOf(expr))) return;
    this.report(expr, `expected type '${type}' but found '${this.typeOf(expr)}'`);
  }
}

function unwrapOptional(type: CelType): CelType | undefined {
  return type.kind === 'opaque' && type.name === 'optional_type' ? type.parameters[0] : undefined;
}

function isWellKnown(type: CelType): boolean {
  if (type.nullable) return true;
  if (type.kind === 'list') return type.parameters[0] === types.dyn;
  if (type.kind === 'map') return type.parameters[0] === types.string && type.parameters[1] === types.dyn;
  return ['any', 'timestamp', 'duration', 'dyn', 'null'].includes(type.kind);
}
