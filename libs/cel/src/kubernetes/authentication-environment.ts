import type { JsonValue } from '@annex/machinery';
import type { Environment } from '../environment.ts';
import { fail } from '../errors.ts';
import { type CelType, listType, mapType, structType, types } from '../typing/type.ts';
import { double, ListValue, MapValue, type Value } from '../values/value.ts';
import { equals } from '../values/equality.ts';
import { elements, isList, isMap, mapFind, mapKeys, mapSize } from '../values/container.ts';
import { kubernetesEnvironment } from './environment.ts';
import { unescapeName } from './escaping.ts';

const { dyn, string } = types;

/**
 * The environment of expressions on the claims of a token: `claims`. Source: "Using Authentication Configuration" in the
 * Kubernetes documentation.
 */
export const claimsEnvironment: Environment = kubernetesEnvironment.extend({
  variables: [{ name: 'claims', type: mapType(string, types.any) }],
});

const userFields: Readonly<Record<string, CelType>> = {
  username: string,
  uid: string,
  groups: listType(string),
  extra: mapType(string, listType(string)),
};
const userType = 'kubernetes.UserInfo';

/** The environment of expressions on the user of a token: `user`. */
export const userEnvironment: Environment = kubernetesEnvironment.extend({
  typeProviders: [
    {
      findType: (name) => (name === userType ? structType(name) : undefined),
      findField: (name, field) =>
        name === userType && Object.hasOwn(userFields, field) ? userFields[field] : undefined,
    },
  ],
  variables: [{ name: 'user', type: structType(userType) }],
});

/** Converts claims to a value: every number is a double, and escaped names resolve below the first level. */
export const claimsValue = (claims: { readonly [name: string]: JsonValue }): Value =>
  new JsonMap(claims, (name) => name);

function valueOf(json: JsonValue): Value {
  if (typeof json === 'number' || typeof json === 'bigint') return double(Number(json));
  if (Array.isArray(json)) return new JsonList(json);
  if (typeof json === 'object' && json !== null) return new JsonMap(json, unescaped);
  return json;
}

const unescaped = (name: string): string => unescapeName(name) ?? name;

class JsonList extends ListValue {
  readonly #json: readonly JsonValue[];

  constructor(json: readonly JsonValue[]) {
    super();
    this.#json = json;
  }

  override get type(): CelType {
    return listType(dyn);
  }

  get length(): number {
    return this.#json.length;
  }

  at(index: number): Value {
    return valueOf(this.#json[index] ?? null);
  }

  equals(other: Value): boolean {
    if (!isList(other) || other.length !== this.length) return false;
    return elements(other).every((element, i) => equals(this.at(i), element));
  }
}

class JsonMap extends MapValue {
  readonly #json: { readonly [name: string]: JsonValue };
  readonly #nameOf: (key: string) => string;

  constructor(json: { readonly [name: string]: JsonValue }, nameOf: (key: string) => string) {
    super();
    this.#json = json;
    this.#nameOf = nameOf;
  }

  override get type(): CelType {
    return mapType(string, dyn);
  }

  get size(): number {
    return Object.keys(this.#json).length;
  }

  find(key: Value): Value | undefined {
    if (typeof key !== 'string') return fail('no such overload');
    const name = this.#nameOf(key);
    return Object.hasOwn(this.#json, name) ? valueOf(this.#json[name] ?? null) : undefined;
  }

  keys(): Iterable<Value> {
    return Object.keys(this.#json);
  }

  equals(other: Value): boolean {
    if (!isMap(other) || mapSize(other) !== this.size) return false;
    for (const key of mapKeys(other)) {
      const own = typeof key === 'string' ? this.find(key) : undefined;
      const theirs = mapFind(other, key);
      if (own === undefined || theirs === undefined || !equals(own, theirs)) return false;
    }
    return true;
  }
}
