import { type JsonObject, type JsonValue, stringifyJson } from '@annex/machinery';
import type { FieldWriter } from './protobuf-writer.ts';

/** Writes one member of a JSON object into a message. */
export type Member = (out: FieldWriter, value: JsonValue) => void;
/** The writers of the fixed members of a message, by JSON name. */
export type Members = Readonly<Record<string, Member>>;

const items = (value: JsonValue): JsonValue[] => (Array.isArray(value) ? value : [value]);

/** Writes a string field. */
export const text =
  (field: number): Member =>
  (out, value) =>
    void out.text(field, String(value));
/** Writes a repeated string field. */
export const texts =
  (field: number): Member =>
  (out, value) =>
    items(value).forEach((one) => out.text(field, String(one)));
/** Writes a boolean field; omits false. */
export const bool =
  (field: number): Member =>
  (out, value) =>
    void (value === true && out.bool(field, true));
/** Writes a non-negative integer field. */
export const integer =
  (field: number): Member =>
  (out, value) =>
    void (
      (typeof value === 'number' || typeof value === 'bigint') &&
      value >= 0 &&
      out.integer(field, value)
    );
/** Writes a floating-point field. */
export const double =
  (field: number): Member =>
  (out, value) =>
    void out.double(field, Number(value));

/** Writes a repeated message field. */
export const messages =
  (field: number, write: Member): Member =>
  (out, value) =>
    items(value).forEach((one) => out.message(field, (inner) => write(inner, one)));

/** Writes an object with arbitrary keys: a message with repeated pairs of name and value. */
export const named =
  (field: number, write: Member): Member =>
  (out, value) => {
    for (const [name, one] of Object.entries(value as JsonObject)) {
      out.message(field, (pair) => pair.text(1, name).message(2, (inner) => write(inner, one)));
    }
  };

/** Writes any value as YAML text; JSON is valid YAML. */
export const any: Member = (out, value) => void out.text(2, `${stringifyJson(value)}\n`);

/**
 * Writes an object by a table. Members that begin with `x-` are extensions; null and unknown members are
 * omitted.
 */
export const record =
  (members: () => Members, extensions: number): Member =>
  (out, value) => {
    const table = members();
    for (const [name, one] of Object.entries(value as JsonObject)) {
      if (one === null) continue;
      if (Object.hasOwn(table, name)) table[name]?.(out, one);
      else if (name.startsWith('x-')) {
        out.message(extensions, (pair) => pair.text(1, name).message(2, (inner) => any(inner, one)));
      }
    }
  };
