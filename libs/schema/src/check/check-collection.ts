import { type JsonObject, type JsonValue, fieldErrors, isObject } from '@annex/machinery';
import type { Check, Outcome } from './check.ts';

/** The validations of a list, with the compiled check of its items. */
export interface ListLimits {
  items: Check | undefined;
  minItems: number | undefined;
  maxItems: number | undefined;
}

/** Checks the items and their count. */
export function listCheck({ items, minItems = 0, maxItems = Infinity }: ListLimits): Check {
  return (value, path, out, old) => {
    if (!Array.isArray(value)) return true;
    if (out === undefined && (value.length < minItems || value.length > maxItems)) return false;
    let ok = true;
    if (items !== undefined) {
      for (let i = 0; i < value.length; i++) {
        const item = value[i] as JsonValue;
        if (out === undefined) {
          if (!items(item, '')) return false;
        } else {
          ok = items(item, `${path}[${i}]`, out, old?.item(i)) && ok;
        }
      }
    }
    if (out === undefined) return true;
    return sizeOfList(value.length, minItems, maxItems, path, out) && ok;
  };
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
  return (value, path, out, old) => {
    if (!isObject(value)) return true;
    if (out !== undefined) return reportObject(limits, value, path, out, old);
    if (counted && !isBetween(Object.keys(value).length, minProperties, maxProperties)) return false;
    for (let i = 0; i < required.length; i++) if (!Object.hasOwn(value, required[i] as string)) return false;
    if (!visits) return true;
    for (const name in value) {
      const check = properties.get(name) ?? additional;
      if (check === undefined) continue;
      if (check === 'forbidden' || !check(value[name] as JsonValue, '')) return false;
    }
    return true;
  };
}

const isBetween = (count: number, min: number, max: number): boolean => count >= min && count <= max;

function reportObject(
  limits: ObjectLimits,
  value: JsonObject,
  path: string,
  out: Outcome,
  old: Parameters<Check>[3],
): boolean {
  const { properties, additional, required, isRoot } = limits;
  let ok = sizeOfObject(limits, Object.keys(value).length, path, out);
  for (const name of Object.keys(value)) {
    if (properties.has(name) || additional === undefined) continue;
    ok =
      (additional === 'forbidden'
        ? out.fail(`${path}.${name} in body is a forbidden property`, path, 'FieldValueInvalid', name)
        : additional(value[name] as JsonValue, `${path}.${name}`, out, old?.field(name))) && ok;
  }
  for (const [name, check] of properties) {
    if (!Object.hasOwn(value, name)) continue;
    const correlated = isRoot && (name === 'kind' || name === 'apiVersion') ? undefined : old?.field(name);
    ok = check(value[name] as JsonValue, path === '' ? name : `${path}.${name}`, out, correlated) && ok;
  }
  for (const name of required) {
    if (Object.hasOwn(value, name)) continue;
    ok = out.fail(`${path}.${name} in body is required`, `${path}.${name}`, 'FieldValueRequired', '', '');
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
