import { fail, Failure } from '../errors.ts';
import type { Environment } from '../environment.ts';
import type { Call, Comprehension, Expr, ListLiteral, MapLiteral, StructLiteral } from '../syntax/expr.ts';
import type { CheckedExpr } from '../typing/checked.ts';
import { isList, iterate } from '../values/container.ts';
import { equals } from '../values/equality.ts';
import { EntryMap, isKey } from '../values/map.ts';
import type { Value } from '../values/value.ts';
import { access, accessOptional, isPresent } from './access.ts';
import { dispatch } from './dispatch.ts';
import { addElement, attempt, logical, notStrictlyFalse } from './control.ts';
import type { Code } from './frame.ts';

const noOverload = () => fail('no such overload');

/** Makes closures of a checked expression, one for each node. */
export class Compiler {
  readonly #checked: CheckedExpr;
  readonly #environment: Environment;
  /** The slots of variables of the environment. */
  readonly variables = new Map<string, number>();
  slotCount = 0;

  constructor(checked: CheckedExpr, environment: Environment) {
    this.#checked = checked;
    this.#environment = environment;
  }

  compile(expr: Expr, locals: ReadonlyMap<string, number>): Code {
    switch (expr.kind) {
      case 'literal': {
        const { value } = expr;
        return () => value;
      }
      case 'ident':
        return this.#ident(expr, locals);
      case 'select': {
        const { field, testOnly } = expr;
        const operand = this.compile(expr.operand, locals);
        return testOnly
          ? (frame) => isPresent(operand(frame), field)
          : (frame) => (frame.cost++, access(operand(frame), field));
      }
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

  #ident(expr: Expr & { kind: 'ident' }, locals: ReadonlyMap<string, number>): Code {
    const { name } = expr;
    const reference = this.#checked.references.get(expr.id);
    const unresolved = reference || locals.has(name) ? undefined : this.#environment.constants.get(name);
    const constant = reference?.value ?? unresolved?.value;
    if (constant !== undefined) return () => constant;
    const slot = locals.get(name) ?? this.#variable(name);
    return (frame) => {
      frame.cost++;
      const value = frame.slots[slot];
      if (value === undefined) return fail(`no such attribute(s): ${name}`);
      if (value instanceof Failure) throw value;
      return value;
    };
  }

  #variable(name: string): number {
    let slot = this.variables.get(name);
    if (slot === undefined) this.variables.set(name, (slot = this.slotCount++));
    return slot;
  }

  #call(expr: Call, locals: ReadonlyMap<string, number>): Code {
    const args = (expr.target ? [expr.target, ...expr.args] : expr.args).map((arg) =>
      this.compile(arg, locals),
    );
    const [a, b, c] = args as [Code, Code, Code];
    switch (expr.name) {
      case '_&&_':
        return (frame) => logical(a, b, false, frame);
      case '_||_':
        return (frame) => logical(a, b, true, frame);
      case '_?_:_':
        return (frame) => {
          const condition = a(frame);
          return condition === true ? b(frame) : condition === false ? c(frame) : noOverload();
        };
      case '@not_strictly_false':
        return notStrictlyFalse(a);
      case '_==_':
        return (frame) => (frame.cost++, equals(a(frame), b(frame)));
      case '_!=_':
        return (frame) => (frame.cost++, !equals(a(frame), b(frame)));
      case '_[_]':
        return (frame) => (frame.cost++, access(a(frame), b(frame)));
      case '_?._':
      case '_[?_]':
        return (frame) => (frame.cost++, accessOptional(a(frame), b(frame)));
      default:
        return this.#function(expr, args);
    }
  }

  #function(expr: Call, args: readonly Code[]): Code {
    const declared = this.#environment.functions.get(expr.name) ?? { name: expr.name, overloads: [] };
    const ids = this.#checked.references.get(expr.id)?.overloads ?? [];
    const candidates = declared.overloads.filter((overload) => ids.length !== 1 || overload.id === ids[0]);
    return (frame) => {
      frame.cost++;
      const values: Value[] = [];
      for (const arg of args) values.push(arg(frame));
      return dispatch(declared, candidates, values);
    };
  }

  #list(expr: ListLiteral, locals: ReadonlyMap<string, number>): Code {
    const elements = expr.elements.map((element) => this.compile(element, locals));
    const { optional } = expr;
    if (elements.length === 0) return () => [];
    return (frame) => {
      frame.cost += 10;
      const values: Value[] = [];
      elements.forEach((element, i) => addElement(values, element(frame), optional.has(i)));
      return values;
    };
  }

  #map(expr: MapLiteral, locals: ReadonlyMap<string, number>): Code {
    const entries = expr.entries.map(({ key, value, optional }) => ({
      key: this.compile(key, locals),
      value: this.compile(value, locals),
      optional,
    }));
    return (frame) => {
      frame.cost += 30;
      const made: (readonly [Value, Value])[] = [];
      for (const { key, value, optional } of entries) {
        const k = key(frame);
        if (!isKey(k)) fail('unsupported key type');
        if (made.some(([known]) => equals(known, k))) fail(`insert failed: key ${String(k)} already exists`);
        const present: Value[] = [];
        addElement(present, value(frame), optional);
        if (present.length > 0) made.push([k, present[0]!]);
      }
      return new EntryMap(made);
    };
  }

  #struct(expr: StructLiteral, locals: ReadonlyMap<string, number>): Code {
    const fields = expr.fields.map((field) => ({ ...field, code: this.compile(field.value, locals) }));
    const provider = this.#environment.typeProviders.find((each) => each.findType(expr.typeName));
    return (frame) => {
      frame.cost += 40;
      const values = new Map<string, Value>();
      for (const { name, code, optional } of fields) {
        const present: Value[] = [];
        addElement(present, code(frame), optional);
        if (present.length > 0) values.set(name, present[0]!);
      }
      return provider?.construct?.(expr.typeName, values) ?? fail(`unknown type '${expr.typeName}'`);
    };
  }

  #comprehension(expr: Comprehension, locals: ReadonlyMap<string, number>): Code {
    const range = this.compile(expr.range, locals);
    const init = this.compile(expr.init, locals);
    const accumulator = this.slotCount++;
    const first = this.slotCount++;
    const second = this.slotCount++;
    const around = new Map(locals).set(expr.accumulator, accumulator);
    const inside = new Map(around).set(expr.variable, first);
    if (expr.variable2 !== undefined) inside.set(expr.variable2, second);
    const condition = this.compile(expr.condition, inside);
    const step = this.compile(expr.step, inside);
    const result = this.compile(expr.result, around);
    const two = expr.variable2 !== undefined;
    return (frame) => {
      const over = range(frame);
      const items = iterate(over);
      const ofList = isList(over);
      frame.slots[accumulator] = init(frame);
      for (let i = 0; i < items.length; i++) {
        frame.checkCost();
        const item = items[i]!;
        frame.slots[first] = two && ofList ? i : item;
        if (two) frame.slots[second] = ofList ? item : access(over, item);
        if (condition(frame) === false) break;
        frame.slots[accumulator] = attempt(step, frame);
      }
      return result(frame);
    };
  }
}
