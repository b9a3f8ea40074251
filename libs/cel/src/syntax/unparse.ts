import { getOwn } from '@annex/machinery';
import { doubleNumber, isDouble, Uint, type Value } from '../values/value.ts';
import type { Call, Expr, ListLiteral, MapLiteral, StructLiteral } from './expr.ts';

/** Returns a text that parses to the same tree. Folds have no syntax: a tree with expanded macros has no text. */
export function unparse(expr: Expr): string {
  switch (expr.kind) {
    case 'literal':
      return literal(expr.value);
    case 'ident':
      return expr.name;
    case 'select':
      if (expr.testOnly) return `has(${operand(expr.operand)}.${field(expr.field)})`;
      return `${operand(expr.operand)}.${field(expr.field)}`;
    case 'call':
      return call(expr);
    case 'list':
      return list(expr);
    case 'map':
      return map(expr);
    case 'struct':
      return struct(expr);
    case 'comprehension':
      throw new TypeError('a fold has no syntax');
  }
}

/** Adds parentheses around an operand, unless it never needs them. */
function operand(expr: Expr): string {
  const text = unparse(expr);
  const closed = expr.kind === 'ident' || expr.kind === 'list' || (expr.kind === 'select' && !expr.testOnly);
  return closed ? text : `(${text})`;
}

const binary = /^_([^_]+)_$/;

function call({ name, target, args }: Call): string {
  const [a, b, c] = args as [Expr, Expr, Expr];
  if (target) return `${operand(target)}.${name}(${args.map(unparse).join(', ')})`;
  switch (name) {
    case '_?_:_':
      return `${operand(a)} ? ${operand(b)} : ${operand(c)}`;
    case '_[_]':
      return `${operand(a)}[${unparse(b)}]`;
    case '_[?_]':
      return `${operand(a)}[?${unparse(b)}]`;
    case '_?._':
      return `${operand(a)}.?${field(b.kind === 'literal' ? String(b.value) : '')}`;
    case '!_':
    case '-_':
      return `${name[0]}(${unparse(a)})`;
    case '@in':
      return `${operand(a)} in ${operand(b)}`;
    default: {
      const operator = binary.exec(name)?.[1];
      if (operator !== undefined) return `${operand(a)} ${operator} ${operand(b)}`;
      return `${name}(${args.map(unparse).join(', ')})`;
    }
  }
}

function list({ elements, optional }: ListLiteral): string {
  return `[${elements.map((element, i) => (optional.has(i) ? '?' : '') + unparse(element)).join(', ')}]`;
}

function map({ entries }: MapLiteral): string {
  const texts = entries.map(({ key, value, optional }) => {
    return `${optional ? '?' : ''}${unparse(key)}: ${unparse(value)}`;
  });
  return `{${texts.join(', ')}}`;
}

function struct({ typeName, fields }: StructLiteral): string {
  const texts = fields.map(({ name, value, optional }) => {
    return `${optional ? '?' : ''}${field(name)}: ${unparse(value)}`;
  });
  return `${typeName}{${texts.join(', ')}}`;
}

function field(name: string): string {
  const plain = /^[A-Za-z_]\w*$/.test(name) && !['in', 'true', 'false', 'null'].includes(name);
  return plain ? name : `\`${name}\``;
}

function literal(value: Value): string {
  if (typeof value === 'string') return quote(value);
  if (value instanceof Uint8Array) return `b${quoteBytes(value)}`;
  if (value instanceof Uint) return `${value.value}u`;
  return isDouble(value) ? withPoint(doubleNumber(value)) : String(value);
}

function withPoint(value: number): string {
  if (Object.is(value, -0)) return '-0.0';
  const text = String(value);
  return /[.e]/.test(text) ? text : `${text}.0`;
}

function quote(text: string): string {
  return `"${text.replace(/[\\"\n\r]/g, (c) => `\\${getOwn({ '\n': 'n', '\r': 'r' }, c) ?? c}`)}"`;
}

function quoteBytes(bytes: Uint8Array): string {
  return `"${Array.from(bytes, (byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')}"`;
}
