import { isObject, type JsonValue } from '@annex/machinery';

/** Returns the Go name of the type of a JSON value. */
export function goJsonType(value: JsonValue): string {
  if (Array.isArray(value)) return 'array';
  if (isObject(value)) return 'object';
  return typeof value === 'boolean' ? 'bool' : typeof value === 'string' ? 'string' : 'number';
}

const typeMeta = String.raw`struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }`;

/** kube-apiserver's message for a value that has no kind because it is not an object. */
export const noTypeText = (value: JsonValue): string =>
  `couldn't get version/kind; json parse error: json: cannot unmarshal ${goJsonType(value)} into Go value of type ${typeMeta}`;

/** kube-apiserver's message for a value whose kind or version is no string. */
export const noTypeFieldText = (name: string, value: JsonValue): string =>
  `couldn't get version/kind; json parse error: json: cannot unmarshal ${goJsonType(value)} into Go struct field .${name} of type string`;
