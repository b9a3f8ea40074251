import { getOwn, isObject, type JsonObject, type JsonValue } from '@annex/machinery';
import { compileCheck } from '../check/check-value.ts';
import { spendLookups } from '../check/check-work.ts';
import { isRecognizedFormat } from '../check/formats.ts';
import { FunctionSource, type Generated, isObjectSource, literal, property } from './function-source.ts';

/** Generates a fast test whether a schema document allows a value. False means unknown: the full checks decide. */
export function generateAcceptance(schema: JsonObject): Generated<boolean> {
  const source = new FunctionSource();
  return source.build(source.add(`return ${test(schema, 'v', source)};`));
}

const junctors = ['allOf', 'anyOf', 'oneOf', 'not'] as const;
const numbers = ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'];
const annotations = new Set([
  'default',
  'description',
  'example',
  'externalDocs',
  'nullable',
  'title',
  'type',
]);

/** Returns true if a schema constrains nothing but the type. */
const isPlain = (schema: JsonObject): boolean =>
  Object.keys(schema).every((name) => name.startsWith('x-') || annotations.has(name));

/** Returns the expression that tests a value. */
function test(schema: JsonObject, value: string, source: FunctionSource): string {
  const checked = junctors.filter((name) => schema[name] !== undefined);
  const typed = typeTest(schema, value, source);
  const parts = [typed];
  if (checked.length > 0) {
    const rest = Object.fromEntries(checked.map((name) => [name, schema[name]])) as JsonObject;
    parts.push(exact(rest, value, source));
  }
  const all = parts.filter((part) => part !== 'true').join(' && ') || 'true';
  // Enums and junctors define whether null is allowed.
  const mayBeNull = schema.nullable === true && checked.length === 0 && schema.enum === undefined;
  return mayBeNull ? `(${value} === null || (${all}))` : `(${all})`;
}

const exact = (schema: JsonObject, value: string, source: FunctionSource): string =>
  `${source.constant(compileCheck(schema, 'resource'))}.accepts(${value})`;

const withoutJunctors = ({
  allOf: _all,
  anyOf: _any,
  oneOf: _one,
  not: _not,
  ...rest
}: JsonObject): JsonObject => rest;

function typeTest(whole: JsonObject, value: string, source: FunctionSource): string {
  const schema = withoutJunctors(whole);
  const { type } = schema;
  if (schema['x-kubernetes-int-or-string'] === true) {
    if (isPlain(schema)) return `(typeof ${value} === "string" || Number.isSafeInteger(${value}))`;
    return exact(schema, value, source);
  }
  const isOdd = numbers.some(
    (name) => getOwn(schema, name) !== undefined && typeof getOwn(schema, name) !== 'number',
  );
  if (isOdd || (schema.enum !== undefined && type !== 'string')) return exact(schema, value, source);
  if (type === 'object') return `${source.add(objectTest(schema, source))}(${value})`;
  if (type === 'array') return `${source.add(listTest(schema, source))}(${value})`;
  if (type === 'string') return stringTest(schema, value, source);
  if (type === 'integer') return integerTest(schema, value) ?? exact(schema, value, source);
  if (!isPlain(schema)) return exact(schema, value, source);
  if (type === 'boolean' || type === 'number') return `typeof ${value} === "${type}"`;
  return type === undefined ? 'true' : exact(schema, value, source);
}

function stringTest(schema: JsonObject, value: string, source: FunctionSource): string {
  const parts = [`typeof ${value} === "string"`];
  const { maxLength, minLength } = schema;
  // A string has at most as many characters as code units.
  if (typeof maxLength === 'number') parts.push(`${value}.length <= ${maxLength}`);
  if (typeof minLength === 'number' && minLength > 1) {
    parts.push(
      `(${value}.length >= ${minLength * 2} || ${exact({ type: 'string', minLength }, value, source)})`,
    );
  } else if (minLength === 1) parts.push(`${value} !== ""`);
  const { enum: values, pattern, format } = schema;
  if (values !== undefined) parts.push(enumTest(values, value, source));
  if (pattern !== undefined) parts.push(exact({ type: 'string', pattern }, value, source));
  if (typeof format === 'string' && isRecognizedFormat('string', format)) {
    parts.push(exact({ type: 'string', format }, value, source));
  }
  return parts.join(' && ');
}

function enumTest(values: JsonValue, value: string, source: FunctionSource): string {
  const texts = Array.isArray(values) ? values.filter((each) => typeof each === 'string') : [];
  if (texts.length > 0 && texts.length <= 4)
    return `(${texts.map((text) => `${value} === ${literal(text)}`).join(' || ')})`;
  return `${source.constant(new Set(texts))}.has(${value})`;
}

/** Returns `undefined` if the limits need the full check. */
function integerTest(schema: JsonObject, value: string): string | undefined {
  const { minimum, maximum, format } = schema;
  const odd = schema.multipleOf ?? schema.exclusiveMinimum ?? schema.exclusiveMaximum;
  if (odd !== undefined) return undefined;
  const parts = [`Number.isSafeInteger(${value})`];
  for (const [limit, compare] of [
    [minimum, '>='],
    [maximum, '<='],
  ] as const) {
    if (limit === undefined) continue;
    if (!Number.isSafeInteger(limit)) return undefined;
    parts.push(`${value} ${compare} ${String(limit)}`);
  }
  if (format === 'int32') parts.push(`${value} >= -2147483648 && ${value} <= 2147483647`);
  return parts.join(' && ');
}

function listTest({ items, minItems, maxItems }: JsonObject, source: FunctionSource): string {
  const lines = ['if (!Array.isArray(v)) return false;', spendOn(1, source)];
  if (typeof minItems === 'number') lines.push(`if (v.length < ${minItems}) return false;`);
  if (typeof maxItems === 'number') lines.push(`if (v.length > ${maxItems}) return false;`);
  const item = isObject(items) ? test(items, 'x', source) : '(true)';
  if (item !== '(true)') {
    lines.push(`for (let i = 0; i < v.length; i++) { const x = v[i]; if (!${item}) return false; }`);
  }
  return [...lines, 'return true;'].join('\n');
}

/** Returns the statement that counts the work of lookups. */
const spendOn = (lookups: number, source: FunctionSource): string =>
  `if (!${source.constant(spendLookups)}(${lookups})) return false;`;

function objectTest(schema: JsonObject, source: FunctionSource): string {
  const { additionalProperties, minProperties, maxProperties } = schema;
  const properties = isObject(schema.properties) ? schema.properties : {};
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const lines = [`if (!(${isObjectSource('v')})) return false;`, 'let x;'];
  // Each object is asked for all declared fields, however few it has.
  lines.push(spendOn(1 + Object.keys(properties).length, source));
  for (const [limit, compare] of [
    [minProperties, '<'],
    [maxProperties, '>'],
  ] as const) {
    if (typeof limit === 'number') lines.push(`if (Object.keys(v).length ${compare} ${limit}) return false;`);
  }
  for (const name of new Set([...required, ...Object.keys(properties)] as string[])) {
    const field = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const fits = isObject(field) ? test(field, 'x', source) : '(true)';
    lines.push(`x = ${property('v', name)};`);
    if (required.has(name))
      lines.push(`if (x === undefined${fits === '(true)' ? '' : ` || !${fits}`}) return false;`);
    else if (fits !== '(true)') lines.push(`if (x !== undefined && !${fits}) return false;`);
  }
  if (additionalProperties === false)
    lines.push(`if (!${exact(withoutJunctors(schema), 'v', source)}) return false;`);
  if (isObject(additionalProperties)) {
    const known =
      Object.keys(properties).length > 0
        ? `if (${source.constant(new Set(Object.keys(properties)))}.has(k)) continue;`
        : '';
    lines.push(
      `for (const k in v) { ${known} x = v[k]; if (!${test(additionalProperties, 'x', source)}) return false; }`,
    );
  }
  return [...lines, 'return true;'].join('\n');
}
