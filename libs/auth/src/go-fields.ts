import { isObject, type JsonObject, type JsonValue } from '@annex/machinery';
import { goJsonType } from './go-json-type.ts';

/**
 * Throws kube-apiserver's message if a response is not the requested review. A missing type counts as the
 * requested one.
 */
export function requireReviewType(
  { apiVersion, kind }: JsonObject,
  expectedKind: string,
  expectedVersion: string,
): void {
  if ((!kind || kind === expectedKind) && (!apiVersion || apiVersion === expectedVersion)) return;
  const versionOf = (text: string) => text.slice(text.indexOf('/') + 1);
  const sent = typeof apiVersion === 'string' ? apiVersion : expectedVersion;
  const found = `${versionOf(sent)}.${typeof kind === 'string' ? kind : expectedKind}`;
  throw new Error(
    `converting (${found}) to (${versionOf(expectedVersion)}.${expectedKind}): unknown conversion`,
  );
}

/** Returns an optional object. Throws Go's message if it is not an object. */
export function part(value: JsonValue | undefined, at: string, type: string): JsonObject {
  if (value == null) return {};
  return isObject(value) ? value : mistyped(value, at, type);
}

/**
 * Reads the fields of a Go struct; null counts as absent. Each method throws Go's message for a value of
 * another type.
 */
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
