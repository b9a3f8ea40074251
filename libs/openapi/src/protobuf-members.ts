import { type JsonObject, type JsonValue, stringifyJson } from '@annex/machinery';
import type { ProtobufWriter } from './protobuf-writer.ts';

/** Writes one member of a JSON object into a message. */
export type Member = (out: ProtobufWriter, value: JsonValue) => void;
/** The members of a message that have a place of their own, by their JSON names. */
export type Members = Readonly<Record<string, Member>>;

const items = (value: JsonValue): JsonValue[] => (Array.isArray(value) ? value : [value]);

/** A text as the value of a field. */
export const text =
  (field: number): Member =>
  (out, value) =>
    void out.text(field, String(value));
/** Texts, each as a value of a field. */
export const texts =
  (field: number): Member =>
  (out, value) =>
    items(value).forEach((one) => out.text(field, String(one)));
/** A flag; false is left out. */
export const bool =
  (field: number): Member =>
  (out, value) =>
    void (value === true && out.bool(field, true));
/** A number that is not negative. */
export const integer =
  (field: number): Member =>
  (out, value) =>
    void (
      (typeof value === 'number' || typeof value === 'bigint') &&
      value >= 0 &&
      out.integer(field, value)
    );
/** A number of any kind. */
export const double =
  (field: number): Member =>
  (out, value) =>
    void out.double(field, Number(value));

/** A message as the value of a field, for each item of a list. */
export const messages =
  (field: number, write: Member): Member =>
  (out, value) =>
    items(value).forEach((one) => out.message(field, (inner) => write(inner, one)));

/** An object with keys of any name: a message with a repeated pair of name and value. */
export const named =
  (field: number, write: Member): Member =>
  (out, value) => {
    for (const [name, one] of Object.entries(value as JsonObject)) {
      out.message(field, (pair) => pair.text(1, name).message(2, (inner) => write(inner, one)));
    }
  };

/** A value of any kind is written as YAML text, of which JSON is a part. */
export const any: Member = (out, value) => void out.text(2, `${stringifyJson(value)}\n`);

/** Writes an object by a table. Members that begin with `x-` go where extensions go; nulls and those without a place are left out. */
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
