import { createHash } from 'node:crypto';
import {
  deepEqual,
  finish,
  getOwn,
  isObject,
  type JsonObject,
  type JsonValue,
  lazily,
  type Passes,
  stringifyJson,
} from '@annex/machinery';
import { type Check, checkOf, type Outcome } from './check.ts';
import { listCheck, objectCheck } from './check-collection.ts';
import { junctorCheck } from './check-junctors.ts';
import { type NumberLimits, floatOf, numberCheck } from './check-number.ts';
import { formatCheck, stringCheck } from './check-string.ts';
import { spend, work, workOf } from './check-work.ts';
import type { Correlation } from './correlation.ts';
import { isRecognizedFormat, stringFormat } from './formats.ts';
import { type GoKind, goKind, isNearInteger } from '../go-decoding/go-number.ts';
import { sortedJson } from '../sorted-json.ts';

/**
 * How kube-apiserver interprets a schema: `resource` validates custom resources (int-or-string allows only those types,
 * unrecognized formats are ignored), `default` validates the defaults in a schema.
 */
export type SchemaReading = 'resource' | 'default';

/**
 * Compiles the value validations of a schema document, including junctors, to one check. With `isLazy`, properties and branches are
 * compiled when a value is checked with them: the schema has thousands.
 */
export function compileCheck(
  schema: JsonObject,
  reading: SchemaReading,
  isRoot = false,
  isLazy = false,
): Check {
  const types = typesOf(schema, reading);
  const format = formatOf(schema, types, reading);
  const typed = types.length > 0 || format !== '';
  const parts: Part[] = [
    part('type', typed ? typeCheck(types, format, schema.nullable === true) : undefined),
    part('junctors', junctorsOf(schema, reading, isLazy)),
    part('string', stringOf(schema)),
    part('string', format === '' ? undefined : formatCheck(format)),
    part('number', numberOf(schema, types, format)),
    part('array', listOf(schema, reading, isLazy)),
    part('enum', enumOf(schema)),
    part('object', objectOf(schema, reading, isRoot, isLazy)),
  ].filter((p) => p !== undefined);
  return combine(parts, typed, format !== '' && stringFormat(format) !== undefined);
}

/** A report takes so many times as long as `accepts`. */
const workOfReport = 4;

type Part = ['type' | 'junctors' | 'string' | 'number' | 'array' | 'enum' | 'object', Check];

const part = (applies: Part[0], check: Check | undefined): Part | undefined => check && [applies, check];

function combine(parts: readonly Part[], typed: boolean, formatted: boolean): Check {
  const checksOf = (applies: (to: Part[0]) => boolean): Check[] =>
    parts.filter(([to]) => applies(to)).map(([, check]) => check);
  const all = checksOf(() => true);
  const ofNull = checksOf((to) => to === 'type' || to === 'enum');
  const hasJunctors = parts.some(([to]) => to === 'junctors');
  const inPasses = function* (
    value: JsonValue,
    path: string,
    out: Outcome,
    old: Correlation | undefined,
  ): Passes<boolean> {
    const before = out.size;
    out.matches += matchesOf(value, typed, formatted);
    let ok = true;
    for (const check of value === null ? ofNull : all) {
      const valid = check.report(value, path, out, old);
      ok = (typeof valid === 'boolean' ? valid : yield* valid) && ok;
    }
    if (ok || old === undefined || !(yield* old.isUnchanged())) return ok;
    out.truncate(before);
    return true;
  };
  return {
    accepts(value) {
      if (!spend(workOf(value))) return false;
      const active = value === null ? ofNull : all;
      for (let i = 0; i < active.length; i++) if (!(active[i] as Check).accepts(value)) return false;
      return true;
    },
    report(value, path, out, old) {
      work(workOfReport * workOf(value));
      const passes = inPasses(value, path, out, old);
      return hasJunctors || (typeof value === 'object' && value !== null) ? passes : finish(passes);
    },
  };
}

/** Returns the number of go-openapi's validators that apply to a value: it prefers the junctor branch with the most. */
function matchesOf(value: JsonValue, typed: boolean, formatted: boolean): number {
  if (value === null) return typed ? 0 : 1;
  const always = 4 + (typed ? 1 : 0);
  if (typeof value === 'string') return always + 1 + (formatted ? 1 : 0);
  if (typeof value === 'boolean') return always;
  return isObject(value) ? always + 1 : always + 2;
}

function typesOf(schema: JsonObject, reading: SchemaReading): readonly string[] {
  if (schema['x-kubernetes-int-or-string'] === true && reading === 'resource') return ['integer', 'string'];
  return typeof schema.type === 'string' && schema.type !== '' ? [schema.type] : [];
}

function formatOf(schema: JsonObject, types: readonly string[], reading: SchemaReading): string {
  const format = typeof schema.format === 'string' ? schema.format : '';
  if (reading === 'default' || format === '') return format;
  return isRecognizedFormat(types.length === 1 ? (types[0] as string) : '', format) ? format : '';
}

const typeNames: Record<Exclude<GoKind, 'null'>, string> = {
  object: 'object',
  array: 'array',
  string: 'string',
  boolean: 'boolean',
  int64: 'integer',
  float64: 'number',
};

function typeCheck(types: readonly string[], format: string, nullable: boolean): Check {
  const numeric = types.includes('number') || types.includes('integer');
  const accepts = new Set<GoKind>();
  for (const kind of Object.keys(typeNames) as Exclude<GoKind, 'null'>[]) {
    if (types.includes(typeNames[kind])) accepts.add(kind);
  }
  if (types.includes('number')) accepts.add('int64');
  // go-openapi does not check the type of strings and lists that have a format.
  if (!numeric && format !== '') accepts.add('string').add('array');
  if (nullable || types.length === 0) accepts.add('null');
  const expected = types.join(',');
  return checkOf((value, path, out) => {
    const kind = goKind(value);
    if (
      accepts.has(kind) ||
      (kind === 'float64' && types.includes('integer') && isNearInteger(value as number))
    ) {
      if (out) out.matches += 1;
      return true;
    }
    if (out === undefined) return false;
    const byFormat = format !== '' && kind !== 'string' && kind !== 'array' && kind !== 'null';
    return byFormat
      ? reportType(out, path, format, kind === 'int64' || kind === 'float64' ? kind : '')
      : reportType(out, path, expected, kind === 'null' ? 'null' : typeNames[kind]);
  });
}

function reportType(out: Outcome, path: string, expected: string, actual: string): false {
  const text = `${path} in body must be of type ${expected}: "${actual}"`;
  return out.fail(text, path, 'FieldValueTypeInvalid', actual);
}

const objectsIn = (value: JsonValue | undefined): JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : [];

function junctorsOf(schema: JsonObject, reading: SchemaReading, isLazy: boolean): Check | undefined {
  const compile = isLazy ? lazyCheck : compileCheck;
  const branches = (name: string): Check[] =>
    objectsIn(getOwn(schema, name)).map((branch) => compile(branch, reading));
  return junctorCheck({
    anyOf: branches('anyOf'),
    oneOf: branches('oneOf'),
    allOf: branches('allOf'),
    not: isObject(schema.not) ? compile(schema.not, reading) : undefined,
  });
}

function stringOf(schema: JsonObject): Check | undefined {
  const maxLength = floatOf(schema.maxLength);
  const minLength = floatOf(schema.minLength);
  const pattern = typeof schema.pattern === 'string' && schema.pattern !== '' ? schema.pattern : undefined;
  if (maxLength === undefined && minLength === undefined && pattern === undefined) return undefined;
  return stringCheck({
    ...(maxLength === undefined ? {} : { maxLength }),
    ...(minLength === undefined ? {} : { minLength }),
    ...(pattern === undefined ? {} : { pattern }),
  });
}

function numberOf(schema: JsonObject, types: readonly string[], format: string): Check | undefined {
  const only = types.length === 1 ? types[0] : undefined;
  const type: NumberLimits['type'] = only === 'integer' || only === 'number' ? only : undefined;
  const limits = {
    type,
    format: type !== undefined && isRecognizedFormat(type, format) ? format : '',
    maximum: floatOf(schema.maximum),
    exclusiveMaximum: schema.exclusiveMaximum === true,
    minimum: floatOf(schema.minimum),
    exclusiveMinimum: schema.exclusiveMinimum === true,
    multipleOf: floatOf(schema.multipleOf),
  };
  const limited = limits.maximum ?? limits.minimum ?? limits.multipleOf;
  return type === undefined && limited === undefined ? undefined : numberCheck(limits);
}

function listOf(schema: JsonObject, reading: SchemaReading, isLazy: boolean): Check | undefined {
  const items = isObject(schema.items) ? compileCheck(schema.items, reading, false, isLazy) : undefined;
  const minItems = floatOf(schema.minItems);
  const maxItems = floatOf(schema.maxItems);
  if (items === undefined && minItems === undefined && maxItems === undefined) return undefined;
  return listCheck({ items, minItems, maxItems });
}

/** How many scalars are checked in the time in which a small schema is compiled. */
const workOfCompilation = 50;

function lazyCheck(schema: JsonObject, reading: SchemaReading): Check {
  let compiled: Check | undefined;
  const compile = (): Check => (compiled ??= compileCheck(schema, reading, false, true));
  return {
    accepts: (value) =>
      (compiled !== undefined || spend(workOfCompilation)) && (compiled ?? compile()).accepts(value),
    report(...args) {
      if (compiled === undefined) work(workOfCompilation);
      return compile().report(...args);
    },
  };
}

function objectOf(
  schema: JsonObject,
  reading: SchemaReading,
  isRoot: boolean,
  isLazy: boolean,
): Check | undefined {
  const compile = isLazy ? lazyCheck : compileCheck;
  const properties = new Map<string, Check>();
  if (isObject(schema.properties)) {
    for (const [name, property] of Object.entries(schema.properties)) {
      if (isObject(property)) properties.set(name, compile(property, reading));
    }
  }
  const limits = {
    properties,
    additional: additionalOf(schema.additionalProperties, reading, isLazy),
    required: Array.isArray(schema.required)
      ? schema.required.filter((name) => typeof name === 'string')
      : [],
    minProperties: floatOf(schema.minProperties),
    maxProperties: floatOf(schema.maxProperties),
    isRoot,
  };
  const limited = limits.additional ?? limits.minProperties ?? limits.maxProperties;
  if (properties.size === 0 && limits.required.length === 0 && limited === undefined) return undefined;
  return objectCheck(limits);
}

function additionalOf(
  value: JsonValue | undefined,
  reading: SchemaReading,
  isLazy: boolean,
): Check | 'forbidden' | undefined {
  if (value === false) return 'forbidden';
  return isObject(value) ? compileCheck(value, reading, false, isLazy) : undefined;
}

function enumOf(schema: JsonObject): Check | undefined {
  const values = schema.enum;
  if (!Array.isArray(values) || values.length === 0) return undefined;
  const scalars = new Set(values.filter((v) => typeof v === 'string'));
  const others = values.filter((v) => typeof v !== 'string' && v !== null);
  const names = lazily(() => namesOf(values));
  // Each of these is compared with a value; most schemas have none of them.
  const cost = Math.floor(others.length / comparedInCheck);
  return checkOf((value, path, out) => {
    if (out !== undefined) work(cost);
    else if (!spend(cost)) return false;
    if (typeof value === 'string' ? scalars.has(value) : others.some((other) => isSame(value, other)))
      return true;
    if (out === undefined) return false;
    const text = `${path} in body should be one of [${names().text}]`;
    return out.fail(text, path, 'FieldValueNotSupported', value, names().detail);
  });
}

/** How many values are compared in the time of one check. */
const comparedInCheck = 16;

/** The values of an enum whose text is longer than this are told apart by its hash. */
const longEnumText = 256;

/** The values of an enum as errors name them. */
function namesOf(values: readonly JsonValue[]): { text: string; detail: string } {
  const names = values.map((v) => (typeof v === 'string' ? v : stringifyJson(sortedJson(v))));
  const text = names.join(' ');
  return {
    // No error shows it, but each has one: only what is distinct counts.
    text: text.length > longEnumText ? createHash('sha256').update(text).digest('hex') : text,
    detail: `supported values: ${names.map((name) => JSON.stringify(name)).join(', ')}`,
  };
}

// Go converts a float to the integer type it is compared with, which truncates the fraction.
function isSame(value: JsonValue, other: JsonValue): boolean {
  if (typeof value === 'number' && goKind(other) === 'int64') return Math.trunc(value) === Number(other);
  return deepEqual(value, other);
}
