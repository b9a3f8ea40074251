/** The parts of a schema that expressions use, for structural and OpenAPI schemas. */
export interface TypedSchema {
  readonly type?: string;
  readonly format?: string;
  readonly nullable?: boolean;
  readonly intOrString?: boolean;
  readonly embeddedResource?: boolean;
  readonly preserveUnknownFields?: boolean;
  readonly default?: unknown;
  readonly properties?: ReadonlyMap<string, TypedSchema>;
  /** `true` allows any value for any key. */
  readonly additionalProperties?: TypedSchema | true;
  readonly items?: TypedSchema;
  readonly required?: readonly string[];
  readonly listType?: 'atomic' | 'set' | 'map';
  readonly listMapKeys?: readonly string[];
  readonly validations?: {
    readonly enum?: readonly unknown[];
    readonly maxItems?: number;
    readonly maxLength?: number;
    readonly maxProperties?: number;
  };
}

const text: TypedSchema = { type: 'string' };
const metadata: TypedSchema = {
  type: 'object',
  properties: new Map([
    ['name', text],
    ['generateName', text],
  ]),
};

/** Returns the schema of a resource root, where type and name are available even if it does not declare them. */
export function withTypeAndMetadata(schema: TypedSchema): TypedSchema {
  const { properties } = schema;
  const meta = properties?.get('metadata');
  const declared =
    properties?.get('kind')?.type === 'string' &&
    properties.get('apiVersion')?.type === 'string' &&
    meta?.type === 'object' &&
    meta.properties?.get('name')?.type === 'string' &&
    meta.properties.get('generateName')?.type === 'string';
  if (declared) return schema;
  const added = [
    ['kind', text],
    ['apiVersion', text],
    ['metadata', metadata],
  ] as const;
  return { ...schema, properties: new Map([...(properties ?? []), ...added]) };
}
