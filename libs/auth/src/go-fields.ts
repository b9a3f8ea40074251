import { isObject, type JsonObject, type JsonValue } from '@annex/machinery';
import { goJsonType } from './go-json-type.ts';

/** Throws where an answer is not the review that was asked for, in kube's words. A type that is not said is taken for it. */
export function requireReviewType({ apiVersion, kind }: JsonObject, wanted: string, asked: string): void {
  if ((!kind || kind === wanted) && (!apiVersion || apiVersion === asked)) return;
  const versionOf = (text: string) => text.slice(text.indexOf('/') + 1);
  const sent = typeof apiVersion === 'string' ? apiVersion : asked;
  const found = `${versionOf(sent)}.${typeof kind === 'string' ? kind : wanted}`;
  throw new Error(`converting (${found}) to (${versionOf(asked)}.${wanted}): unknown conversion`);
}

/** An object that may be absent. Throws, in Go's words, where it is no object. */
export function part(value: JsonValue | undefined, at: string, type: string): JsonObject {
  if (value == null) return {};
  return isObject(value) ? value : mistyped(value, at, type);
}

/** Fields of a Go struct; what is null is not there. Each throws, in Go's words, where it is of another type. */
export class Fields {
  readonly #at: string;
  readonly #object: JsonObject;

  constructor(at: string, object: JsonObject) {
    this.#at = at;
    this.#object = object;
  }

  bool(name: string): boolean | undefined {
    const value = this.#get(name);
    return value === undefined || typeof value === 'boolean'
      ? value
      : mistyped(value, this.#path(name), 'bool');
  }

  text(name: string): string | undefined {
    const value = this.#get(name);
    return value === undefined ? undefined : textOf(value, this.#path(name));
  }

  texts(name: string): string[] | undefined {
    const value = this.#get(name);
    return value === undefined ? undefined : textsOf(value, this.#path(name), '[]string');
  }

  lists(name: string, type: string): Record<string, string[]> | undefined {
    const value = this.#get(name);
    if (value === undefined) return undefined;
    const at = this.#path(name);
    if (!isObject(value)) return mistyped(value, at, type);
    const entries = Object.entries(value).map(([key, list]) => [
      key,
      list === null ? [] : textsOf(list, at, type.slice('map[string]'.length)),
    ]);
    return Object.fromEntries(entries) as Record<string, string[]>;
  }

  #get(name: string): JsonValue | undefined {
    return Object.hasOwn(this.#object, name) ? (this.#object[name] ?? undefined) : undefined;
  }

  #path(name: string): string {
    return `${this.#at}.${name}`;
  }
}

const textOf = (value: JsonValue, at: string): string =>
  typeof value === 'string' ? value : mistyped(value, at, 'string');

const textsOf = (value: JsonValue, at: string, type: string): string[] =>
  Array.isArray(value) ? value.map((one) => textOf(one ?? '', at)) : mistyped(value, at, type);

function mistyped(value: JsonValue, at: string, type: string): never {
  throw new Error(`json: cannot unmarshal ${goJsonType(value)} into Go struct field ${at} of type ${type}`);
}
