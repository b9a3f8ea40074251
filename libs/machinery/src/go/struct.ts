import { emptyFieldOf } from '../empty-fields.ts';
import { getOwn, isObject, type JsonObject, type JsonValue } from '../json-object.ts';

/** Returns the Go value of a decoded JSON value as JSON without JSON names: with Go's field names and with empty values. */
export type GoValue = (value: JsonValue | undefined) => JsonValue;

/** The fields of a Go struct in their order. */
export type GoFields = readonly (readonly [go: string, json: string, value: GoValue])[];

export const goText: GoValue = (value) => value ?? '';
export const goFlag: GoValue = (value) => value ?? false;
export const goCount: GoValue = (value) => value ?? 0;
export const goPointer: GoValue = (value) => value ?? null;

/** Returns the value of a struct; an absent one has empty fields. */
export const goStruct =
  (fields: GoFields): GoValue =>
  (value) =>
    structOf(isObject(value) ? value : {}, fields);

/** Returns the value of a pointer to a struct. */
export const goStructPointer =
  (fields: GoFields): GoValue =>
  (value) =>
    isObject(value) ? structOf(value, fields) : null;

export const goList =
  (item: GoValue): GoValue =>
  (value) =>
    Array.isArray(value) ? value.map(item) : null;

export const goMap =
  (item: GoValue): GoValue =>
  (value) =>
    isObject(value)
      ? Object.fromEntries(
          Object.keys(value)
            .sort()
            .map((key) => [key, item(value[key])]),
        )
      : null;

const structOf = (value: JsonObject, fields: GoFields): JsonObject =>
  Object.fromEntries(
    fields.map(([go, json, print]) => [go, print(emptyFieldOf(value, json) ?? getOwn(value, json))]),
  );
