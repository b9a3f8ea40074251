/** A schema of an OpenAPI document, as far as objects are made from it. */
export interface Schema {
  $ref?: string;
  allOf?: readonly Schema[];
  oneOf?: readonly Schema[];
  type?: string;
  format?: string;
  enum?: readonly unknown[];
  required?: readonly string[];
  items?: Schema;
  properties?: Readonly<Record<string, Schema>>;
  additionalProperties?: Schema;
  'x-kubernetes-group-version-kind'?: readonly Kind[];
}

/** The type of an object. */
export interface Kind {
  group: string;
  version: string;
  kind: string;
}

/** An OpenAPI document of a group-version. */
export interface Document {
  paths: Readonly<Record<string, { post?: { 'x-kubernetes-group-version-kind'?: Kind } }>>;
  components?: { schemas?: Readonly<Record<string, Schema>> };
}

/** A list or a map of a kind; `[]` and `{}` on its path are items and members. */
export interface Field {
  path: readonly string[];
  schema: Schema;
}

const deepest = 9;

/** The schemas of a document. */
export class Schemas {
  readonly #named: Readonly<Record<string, Schema>>;

  constructor({ components }: Document) {
    this.#named = components?.schemas ?? {};
  }

  /** Returns the schema that another one refers to. A value of several types is a text. */
  resolve(schema: Schema | undefined): Schema {
    if (schema === undefined) return {};
    if (schema.$ref !== undefined) return this.resolve(this.#named[schema.$ref.split('/').at(-1) ?? '']);
    if (schema.allOf?.length === 1) return this.resolve(schema.allOf[0]);
    return schema.oneOf !== undefined && schema.type === undefined ? { type: 'string' } : schema;
  }

  ofKind({ group, version, kind }: Kind): Schema | undefined {
    return Object.values(this.#named).find((schema) =>
      schema['x-kubernetes-group-version-kind']?.some(
        (one) => one.group === group && one.version === version && one.kind === kind,
      ),
    );
  }

  /** Returns all lists and maps below a schema; a schema within itself is not entered again. */
  fieldsOf(schema: Schema, path: readonly string[] = [], outer: readonly Schema[] = []): Field[] {
    const resolved = this.resolve(schema);
    const { items, properties, additionalProperties } = resolved;
    if (outer.includes(resolved) || path.length > deepest) return [];
    const within = [...outer, resolved];
    if (items !== undefined)
      return [{ path, schema: resolved }, ...this.fieldsOf(items, [...path, '[]'], within)];
    if (properties !== undefined)
      return Object.entries(properties).flatMap(([name, child]) =>
        this.fieldsOf(child, [...path, name], within),
      );
    return additionalProperties === undefined
      ? []
      : [{ path, schema: resolved }, ...this.fieldsOf(additionalProperties, [...path, '{}'], within)];
  }
}
