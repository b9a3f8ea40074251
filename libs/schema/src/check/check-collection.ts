import {
  type JsonObject,
  type JsonValue,
  fieldErrors,
  isObject,
  namesInPasses,
  type Passes,
} from '@annex/machinery';
import type { Check, Outcome } from './check.ts';
import { reported } from './check-junctors.ts';
import type { Correlation } from './correlation.ts';

/** The validations of a list, with the compiled check of its items. */
export interface ListLimits {
  items: Check | undefined;
  minItems: number | undefined;
  maxItems: number | undefined;
}

/** Checks the items and their count. */
export function listCheck({ items, minItems = 0, maxItems = Infinity }: ListLimits): Check {
  return {
    accepts(value) {
      if (!Array.isArray(value)) return true;
      if (value.length < minItems || value.length > maxItems) return false;
      if (items === undefined) return true;
      for (let i = 0; i < value.length; i++) if (!items.accepts(value[i] as JsonValue)) return false;
      return true;
    },
    *report(value, path, out, old) {
      if (!Array.isArray(value)) return true;
      const ok = items === undefined || (yield* reportItems(items, value, path, out, old));
      return sizeOfList(value.length, minItems, maxItems, path, out) && ok;
    },
  };
}

function* reportItems(
  check: Check,
  items: readonly JsonValue[],
  path: string,
  out: Outcome,
  old: Correlation | undefined,
): Passes<boolean> {
  yield* old?.prepareItems() ?? [];
  let ok = true;
  for (let i = 0; i < items.length && !out.isEnough; i++) {
    ok = (yield* reported(check, items[i] as JsonValue, `${path}[${i}]`, out, old?.item(i))) && ok;
  }
  return ok;
}

function sizeOfList(size: number, min: number, max: number, path: string, out: Outcome): boolean {
  let ok = true;
  if (size < min) {
    ok = out.fail(`${path} in body should have at least ${min} items`, path, 'FieldValueInvalid', size);
  }
  if (size > max) {
    const text = `${path} in body should have at most ${max} items`;
    ok = out.fail(text, path, 'FieldValueTooMany', size, tooMany(max));
  }
  return ok;
}

const tooMany = (max: number): string => fieldErrors.tooMany('', 0, max).detail;

/** The validations of an object, with the compiled checks of its values. */
export interface ObjectLimits {
  properties: ReadonlyMap<string, Check>;
  /** The check of undeclared properties: a check, `forbidden`, or undefined for none. */
  additional: Check | 'forbidden' | undefined;
  required: readonly string[];
  minProperties: number | undefined;
  maxProperties: number | undefined;
  /** True at the root of a custom resource: apiVersion and kind are not compared with the stored object. */
  isRoot: boolean;
}

/** Checks the fields, required fields, and the number of fields. */
export function objectCheck(limits: ObjectLimits): Check {
  const { properties, additional, required, minProperties = 0, maxProperties = Infinity } = limits;
  const counted = minProperties > 0 || maxProperties < Infinity;
  const visits = properties.size > 0 || additional !== undefined;
  const order = new Map(Array.from(properties.keys(), (name, i) => [name, i]));
  return {
    accepts(value) {
      if (!isObject(value)) return true;
      if (counted && !isBetween(Object.keys(value).length, minProperties, maxProperties)) return false;
      for (let i = 0; i < required.length; i++)
        if (!Object.hasOwn(value, required[i] as string)) return false;
      if (!visits) return true;
      for (const name in value) {
        const check = properties.get(name) ?? additional;
        if (check === undefined) continue;
        if (check === 'forbidden' || !check.accepts(value[name] as JsonValue)) return false;
      }
      return true;
    },
    *report(value, path, out, old) {
      if (!isObject(value)) return true;
      const names = yield* namesInPasses(value);
      let ok = sizeOfObject(limits, names.length, path, out);
      ok = (yield* reportAdditional(limits, value, names, path, out, old)) && ok;
      // As the schema orders them; the object can have fewer.
      const declared = names.filter((name) => order.has(name)).sort((a, b) => order.get(a)! - order.get(b)!);
      ok = (yield* reportProperties(limits, value, declared, path, out, old)) && ok;
      return reportRequired(required, value, path, out) && ok;
    },
  };
}

const isBetween = (count: number, min: number, max: number): boolean => count >= min && count <= max;

function* reportAdditional(
  { properties, additional }: ObjectLimits,
  value: JsonObject,
  names: readonly string[],
  path: string,
  out: Outcome,
  old: Correlation | undefined,
): Passes<boolean> {
  if (additional === undefined) return true;
  let ok = true;
  for (const name of names) {
    if (properties.has(name)) continue;
    if (out.isEnough) return false;
    if (additional === 'forbidden') {
      ok = out.fail(`${path}.${name} in body is a forbidden property`, path, 'FieldValueInvalid', name);
      continue;
    }
    // permitted: no-inherited-keys, it is one of its own names
    const member = value[name] as JsonValue;
    ok = (yield* reported(additional, member, `${path}.${name}`, out, old?.field(name))) && ok;
  }
  return ok;
}

function* reportProperties(
  { properties, isRoot }: ObjectLimits,
  value: JsonObject,
  names: readonly string[],
  path: string,
  out: Outcome,
  old: Correlation | undefined,
): Passes<boolean> {
  let ok = true;
  for (const name of names) {
    if (out.isEnough) return false;
    const correlated = isRoot && (name === 'kind' || name === 'apiVersion') ? undefined : old?.field(name);
    // permitted: no-inherited-keys, it is one of its own names
    const member = value[name] as JsonValue;
    const at = path === '' ? name : `${path}.${name}`;
    ok = (yield* reported(properties.get(name) as Check, member, at, out, correlated)) && ok;
  }
  return ok;
}

function reportRequired(required: readonly string[], value: JsonObject, path: string, out: Outcome): boolean {
  let ok = true;
  for (const name of required) {
    if (Object.hasOwn(value, name)) continue;
    ok = out.fail(`${path}.${name} in body is required`, `${path}.${name}`, 'FieldValueRequired', '', '');
    if (out.isFull) break;
  }
  return ok;
}

function sizeOfObject(limits: ObjectLimits, count: number, path: string, out: Outcome): boolean {
  const { minProperties = 0, maxProperties = Infinity } = limits;
  let ok = true;
  if (count < minProperties) {
    const text = `${path} in body should have at least ${minProperties} properties`;
    ok = out.fail(text, path, 'FieldValueInvalid', count);
  }
  if (count > maxProperties) {
    const text = `${path} in body should have at most ${maxProperties} properties`;
    ok = out.fail(text, path, 'FieldValueTooMany', count, tooMany(maxProperties));
  }
  return ok;
}
