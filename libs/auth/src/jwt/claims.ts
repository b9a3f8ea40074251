import { getOwn, type JsonObject, type JsonValue } from '@annex/machinery';
import { goJsonType } from '../go-json-type.ts';

/** A missing claim, or a claim of another type; the message is Go's. */
export class ClaimError extends Error {
  override readonly name = 'ClaimError';
}

/** The claims of a token, read as kube-apiserver reads them. */
export class Claims {
  readonly json: JsonObject;

  constructor(json: JsonObject) {
    this.json = json;
  }

  has(name: string): boolean {
    return Object.hasOwn(this.json, name);
  }

  text(name: string): string {
    const value = this.#get(name);
    if (value === null) return '';
    return typeof value === 'string' ? value : mistyped(value, 'string');
  }

  bool(name: string): boolean {
    const value = this.#get(name);
    if (value === null) return false;
    return typeof value === 'boolean' ? value : mistyped(value, 'bool');
  }

  /** A string, or a list of strings. */
  texts(name: string): string[] {
    const value = this.#get(name);
    if (value === null) return [];
    if (typeof value === 'string') return [value];
    const list = Array.isArray(value) ? value.map((item) => item ?? '') : undefined;
    if (list?.every((item) => typeof item === 'string')) return list as string[];
    return mistyped(value, 'string');
  }

  #get(name: string): JsonValue {
    if (!this.has(name)) throw new ClaimError('claim not present');
    return getOwn(this.json, name) as JsonValue;
  }
}

function mistyped(value: JsonValue, type: string): never {
  throw new ClaimError(`json: cannot unmarshal ${goJsonType(value)} into Go value of type ${type}`);
}
