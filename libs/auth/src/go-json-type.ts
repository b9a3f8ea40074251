import { isObject, type JsonValue } from '@annex/machinery';

/** How Go names the type of a value of JSON. */
export function goJsonType(value: JsonValue): string {
  if (Array.isArray(value)) return 'array';
  if (isObject(value)) return 'object';
  return typeof value === 'boolean' ? 'bool' : typeof value === 'string' ? 'string' : 'number';
}

const typeMeta = String.raw`struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }`;

/** What kube says of a value that can have no kind, as it is no object. */
export const noTypeText = (value: JsonValue): string =>
  `couldn't get version/kind; json parse error: json: cannot unmarshal ${goJsonType(value)} into Go value of type ${typeMeta}`;
