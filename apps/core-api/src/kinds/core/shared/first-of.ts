import type { Default } from '@annex/kinds';
import { getOwn, type JsonValue, setOwn } from '@annex/machinery';

/** A field and the younger list that begins with its value: where both are set and differ, the field decides. */
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
