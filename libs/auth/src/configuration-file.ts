import { decodeYaml, FieldPath, isObject, type JsonValue, yamlDuplicatesText } from '@annex/machinery';

/** A configuration that cannot be used; the message is kube's. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}

/**
 * What a field of a configuration holds: texts and booleans, which are empty where they are absent; `pointer` and
 * `optionalBool` are not; lists; objects; and what may be absent as a whole.
 */
export type Shape =
  | 'string'
  | 'bool'
  | 'pointer'
  | 'optionalBool'
  | readonly [Shape]
  | Optional
  | { readonly [field: string]: Shape };

class Optional {
  readonly shape: Shape;

  constructor(shape: Shape) {
    this.shape = shape;
  }
}

/** Absent where it is not sent. */
export const optional = (shape: Shape): Shape => new Optional(shape);

/** A kind of `apiserver.config.k8s.io`, the versions in which it is read, and its fields. */
export interface ConfigurationKind {
  kind: string;
  versions: readonly string[];
  fields: Readonly<Record<string, Shape>>;
}

const group = 'apiserver.config.k8s.io';

/** Reads a configuration file: YAML or JSON, strictly. Rejects with {@link ConfigurationError}. */
export async function readConfiguration(
  text: string,
  { kind, versions, fields }: ConfigurationKind,
): Promise<unknown> {
  const { value, duplicates } = await decodeYaml(text).catch((error: Error) => {
    throw new ConfigurationError(error.message);
  });
  const object = isObject(value) ? value : {};
  const { apiVersion, kind: sentKind, ...sent } = object;
  if (typeof sentKind !== 'string' || sentKind === '')
    throw new ConfigurationError(`Object 'Kind' is missing in '${text}'`);
  if (sentKind !== kind || !versions.some((version) => apiVersion === `${group}/${version}`)) {
    throw new ConfigurationError(`no kind "${sentKind}" is registered for version "${String(apiVersion)}"`);
  }
  const reader = new Reader();
  const read = reader.read(fields, sent, FieldPath.root);
  const strict = [
    ...(duplicates.length > 0 ? [yamlDuplicatesText(duplicates)] : []),
    ...reader.unknown.sort(),
  ];
  if (strict.length > 0) throw new ConfigurationError(`strict decoding error: ${strict.join(', ')}`);
  return read;
}

/** Fills in what is missing, and finds what does not belong. */
class Reader {
  readonly unknown: string[] = [];

  read(shape: Shape, value: JsonValue | undefined, at: FieldPath): unknown {
    if (shape === 'string') return value == null ? '' : this.#ofType('string', value, at);
    if (shape === 'pointer') return value == null ? undefined : this.#ofType('string', value, at);
    if (shape === 'optionalBool') return value == null ? undefined : this.#ofType('boolean', value, at);
    if (shape === 'bool') return value == null ? false : this.#ofType('boolean', value, at);
    if (shape instanceof Optional) return value == null ? undefined : this.read(shape.shape, value, at);
    if (Array.isArray(shape)) return this.#list((shape as readonly [Shape])[0], value ?? [], at);
    return this.#object(shape as Readonly<Record<string, Shape>>, value ?? {}, at);
  }

  #ofType(type: 'string' | 'boolean', value: JsonValue, at: FieldPath): JsonValue {
    if (typeof value !== type) throw mistyped(value, at, type === 'boolean' ? 'bool' : type);
    return value;
  }

  #list(shape: Shape, value: JsonValue, at: FieldPath): unknown[] {
    if (!Array.isArray(value)) throw mistyped(value, at, 'list');
    return value.map((item, i) => this.read(shape, item, at.index(i)));
  }

  #object(shape: Readonly<Record<string, Shape>>, value: JsonValue, at: FieldPath): object {
    if (!isObject(value)) throw mistyped(value, at, 'object');
    for (const field of Object.keys(value)) {
      if (!Object.hasOwn(shape, field)) this.unknown.push(`unknown field "${at.child(field)}"`);
    }
    return Object.fromEntries(
      Object.entries(shape).map(([field, inner]) => [
        field,
        this.read(inner, Object.hasOwn(value, field) ? value[field] : undefined, at.child(field)),
      ]),
    );
  }
}

function mistyped(value: JsonValue, at: FieldPath, wanted: string): ConfigurationError {
  const found = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  return new ConfigurationError(`json: cannot unmarshal ${found} into field ${at} of type ${wanted}`);
}
