import type { KubeObject } from '@annex/machinery';

/** A structural OpenAPI v3 schema, like `openAPIV3Schema` of a CustomResourceDefinition. */
export interface Schema {
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly nullable?: boolean;
  readonly [keyword: string]: unknown;
}

interface Scalars {
  string: string;
  integer: number;
  number: number;
  boolean: boolean;
}

/** The TypeScript type of a valid value. Fields with a default are required. */
export type ValueOf<S> = Value<S, 'response'>;

/** The TypeScript type of a value in a request: fields with a default are optional. */
export type InputValueOf<S> = Value<S, 'request'>;

type Value<S, Way> =
  | (S extends { enum: readonly (infer E)[] }
      ? E
      : S extends { type: keyof Scalars }
        ? Scalars[S['type']]
        : S extends { type: 'array'; items: infer I }
          ? Value<I, Way>[]
          : S extends { properties: infer P }
            ? Fields<P, S extends { required: readonly (infer R)[] } ? R : never, Way>
            : S extends { additionalProperties: infer A extends Schema }
              ? Record<string, Value<A, Way>>
              : unknown)
  | (S extends { nullable: true } ? null : never);

type Always<P, R, Way> = {
  [K in keyof P]: P[K] extends { default: unknown }
    ? Way extends 'request'
      ? never
      : K
    : K extends R
      ? K
      : never;
}[keyof P];

type Fields<P, R, Way> = { [K in Always<P, R, Way>]: Value<P[K], Way> } & {
  [K in Exclude<keyof P, Always<P, R, Way>>]?: Value<P[K], Way>;
};

/** An object of a kind with this schema. */
export type ObjectOf<S> = KubeObject & ValueOf<S>;

/** An object in a request; the client sets `apiVersion` and `kind`. */
export type InputOf<S> = KubeObject & InputValueOf<S>;
