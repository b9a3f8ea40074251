import type { Default } from '@annex/kinds';
import { getOwn, type JsonValue, setOwn } from '@annex/machinery';

/** Synchronizes a field with the newer list that begins with its value: if both are set and differ, the field has priority. */
export const firstOf =
  (
    field: string,
    list: string,
    toItem: (value: JsonValue) => JsonValue,
    ofItem: (item: JsonValue) => JsonValue,
  ): Default =>
  (object) => {
    const value = getOwn(object, field);
    const items = getOwn(object, list);
    const [first] = Array.isArray(items) ? items : [];
    if (!value && first !== undefined) setOwn(object, field, ofItem(first));
    else if (value && (first === undefined || ofItem(first) !== value)) setOwn(object, list, [toItem(value)]);
  };
