import { isObject, type JsonObject, type JsonValue, setOwn } from '@annex/machinery';
import { fieldElement, printElement } from '../managed-fields/field-set-element.ts';
import type { MergeType } from '../typed-values/typed-schema.ts';
import { TypedError, type TypedValidationError } from '../typed-values/typed-value.ts';

/** A value of an expression that kube-apiserver passes on as a Go value, and not as JSON: no type accepts it. */
export class NativeValue {
  readonly json: JsonValue;
  /** The value in Go's `%v`. */
  readonly text: string;
  /** The value in Go's `%#v`. */
  readonly syntax: string;

  constructor(json: JsonValue, text: string, syntax: string) {
    this.json = json;
    this.text = text;
    this.syntax = syntax;
  }
}

/** JSON in which some values may be native. */
export type NativeJson = JsonValue | NativeValue | readonly NativeJson[] | { [name: string]: NativeJson };

/** Returns the JSON of a configuration. Throws for native values at places whose type is known. */
export function withoutNatives(configuration: NativeJson, type: MergeType): JsonValue {
  const errors: TypedValidationError[] = [];
  const json = converted(configuration, type, '', errors);
  if (errors.length > 0) throw new TypedError(errors);
  return json;
}

function converted(
  value: NativeJson,
  type: MergeType | undefined,
  path: string,
  errors: TypedValidationError[],
): JsonValue {
  if (value instanceof NativeValue) {
    const message = type && nativeError(value, type);
    if (message !== undefined) errors.push({ path, message });
    return value.json;
  }
  if (Array.isArray(value)) {
    const list = type?.list;
    const at = (index: number) => (list?.atomic === true ? `${path}[${index}]` : `${path}[={{undefined}}]`);
    return value.map((item: NativeJson, index) => converted(item, list?.element, at(index), errors));
  }
  if (!isObject(value)) return value as JsonValue;
  const json: JsonObject = {};
  for (const [name, field] of Object.entries(value as { [name: string]: NativeJson })) {
    const map = type?.map;
    const fieldType = map?.fields.get(name)?.type ?? map?.element;
    setOwn(json, name, converted(field, fieldType, path + printElement(fieldElement(name)), errors));
  }
  return json;
}

function nativeError(value: NativeValue, { map, list, scalar }: MergeType): string | undefined {
  if (map !== undefined && list === undefined && scalar === undefined)
    return `expected map, got &{${value.text}}`;
  if (list !== undefined && map === undefined && scalar === undefined)
    return `expected list, got &{${value.text}}`;
  if (scalar === 'string') return `expected string, got &value.valueUnstructured{Value:${value.syntax}}`;
  return scalar === 'boolean' ? `expected boolean, got &{${value.text}}` : undefined;
}
