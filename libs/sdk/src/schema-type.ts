import type { KubeObject } from '@annex/machinery';

/** A structural OpenAPI v3 schema, as `openAPIV3Schema` of a CustomResourceDefinition has it. */
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

/** What a valid value of a schema looks like to TypeScript. Fields with a default are always there. */
export type ValueOf<S> =
  | (S extends { enum: readonly (infer E)[] }
      ? E
      : S extends { type: keyof Scalars }
        ? Scalars[S['type']]
        : S extends { type: 'array'; items: infer I }
          ? ValueOf<I>[]
          : S extends { properties: infer P }
            ? Fields<P, S extends { required: readonly (infer R)[] } ? R : never>
            : S extends { additionalProperties: infer A extends Schema }
              ? Record<string, ValueOf<A>>
              : unknown)
  | (S extends { nullable: true } ? null : never);

type Always<P, R> = {
  [K in keyof P]: K extends R ? K : P[K] extends { default: unknown } ? K : never;
}[keyof P];

type Fields<P, R> = { [K in Always<P, R>]: ValueOf<P[K]> } & {
  [K in Exclude<keyof P, Always<P, R>>]?: ValueOf<P[K]>;
};

/** An object of a kind with this schema. */
export type ObjectOf<S> = KubeObject & ValueOf<S>;
