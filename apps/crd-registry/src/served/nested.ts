import { goPrint, isObject, type JsonObject, type KubeObject, setOwn } from '@annex/machinery';

/** Splits a path in dot notation: `.spec.replicas`. */
export const splitPath = (path: string): string[] => path.replace(/^\./, '').split('.');

/** The value at a path, or an error. */
export type Nested = { value: unknown } | { error: string };

/** Follows a path. Returns an error if a value on the path is not an object. */
export function nestedField(object: JsonObject, names: readonly string[]): Nested {
  let value: unknown = object;
  for (const [i, name] of names.entries()) {
    if (value === undefined || value === null) return { value: undefined };
    if (!isObject(value)) {
      const path = names.slice(0, i + 1).join('.');
      return {
        error: `.${path} accessor error: ${goPrint(value)} is of the type ${goTypeName(value)}, expected map[string]interface{}`,
      };
    }
    value = Object.hasOwn(value, name) ? value[name] : undefined;
  }
  return { value };
}

/** Returns the integer at a path; `undefined` if it is absent. */
export function nestedInteger(
  object: JsonObject,
  names: readonly string[],
): { value: number | bigint | undefined } | { error: string } {
  const found = nestedField(object, names);
  if ('error' in found) return found;
  const { value } = found;
  if (value === undefined) return { value };
  if (typeof value === 'bigint' || (typeof value === 'number' && Number.isSafeInteger(value)))
    return { value };
  return { error: typeInvalid(names, value, 'int64') };
}

/** Returns the string at a path; `undefined` if it is absent. */
export function nestedString(
  object: JsonObject,
  names: readonly string[],
): { value: string | undefined } | { error: string } {
  const found = nestedField(object, names);
  if ('error' in found) return found;
  const { value } = found;
  if (value === undefined || typeof value === 'string') return { value };
  return { error: typeInvalid(names, value, 'string') };
}

const typeInvalid = (names: readonly string[], value: unknown, expected: string): string =>
  `.${names.join('.')} accessor error: ${goPrint(value)} is of the type ${goTypeName(value)}, expected ${expected}`;

/** Returns the Go type of an unstructured value, as Go prints it. */
export function goTypeName(value: unknown): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  switch (typeof value) {
    case 'object':
      return 'map[string]interface {}';
    case 'boolean':
      return 'bool';
    case 'number':
      return Number.isSafeInteger(value) ? 'int64' : 'float64';
    case 'bigint':
      return 'int64';
    default:
      return 'string';
  }
}

/** Sets the value at a path and creates missing objects. Returns the error if that is not possible. */
export function setNested(
  object: KubeObject,
  names: readonly string[],
  value: JsonObject[string],
): string | undefined {
  let at = object as unknown as JsonObject;
  for (const [i, name] of names.slice(0, -1).entries()) {
    const next = Object.hasOwn(at, name) ? at[name] : {};
    if (!isObject(next)) {
      return `value cannot be set because .${names.slice(0, i + 1).join('.')} is not a map[string]interface{}`;
    }
    setOwn(at, name, next);
    at = next;
  }
  setOwn(at, names.at(-1) ?? '', value);
  return undefined;
}
