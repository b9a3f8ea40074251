import {
  decodeYaml,
  FieldPath,
  isObject,
  type JsonObject,
  type JsonValue,
  setOwn,
  readDuration,
  yamlDuplicatesText,
} from '@annex/machinery';
import { base64Error } from './go-base64.ts';
import { goJsonType, noTypeFieldText, noTypeText } from './go-json-type.ts';

/** An invalid configuration; the message is kube-apiserver's. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}

/**
 * The shape of a configuration field. Strings and booleans default to empty; `pointer` and `optionalBool`
 * stay absent, as numbers do. A `duration` is an optional string that is checked, `bytes` a string in base64. Others are lists, objects,
 * optional shapes, and values that another reader decodes.
 */
export type Shape =
  | 'string'
  | 'bool'
  | 'int32'
  | 'int64'
  | 'float32'
  | 'pointer'
  | 'duration'
  | 'bytes'
  | 'optionalBool'
  | 'any'
  | readonly [Shape]
  | NamedString
  | Optional
  | Struct;

/** An object: its Go type name and its fields. */
export interface Struct {
  readonly goType: string;
  readonly fields: Readonly<Record<string, Shape>>;
  /** The Go structs that fields are embedded in: Go's errors name them. */
  readonly embedded?: ReadonlyMap<string, string>;
}

type NumericShape = 'int32' | 'int64' | 'float32';

const isNumeric = (shape: Shape): shape is NumericShape =>
  shape === 'int32' || shape === 'int64' || shape === 'float32';

const isInteger = (value: number | bigint, bits: number): boolean =>
  (typeof value === 'bigint' || Number.isInteger(value)) &&
  BigInt.asIntN(bits, BigInt(value)) === BigInt(value);

/** Integers are printed with all digits, as in Go. */
const numberText = (value: number | bigint): string =>
  String(Math.abs(Number(value)) < 1e21 && isInteger(value, 128) ? BigInt(value) : value);

const maxFloat32 = 3.4028234663852886e38;

const isInRange: Readonly<Record<NumericShape, (value: number | bigint) => boolean>> = {
  int32: (value) => isInteger(value, 32),
  int64: (value) => isInteger(value, 64),
  float32: (value) => Math.abs(Number(value)) <= maxFloat32,
};

class Optional {
  readonly shape: Shape;

  constructor(shape: Shape) {
    this.shape = shape;
  }
}

/** Marks a shape as absent if the member is not sent. */
export const optional = (shape: Shape): Shape => new Optional(shape);

class NamedString {
  readonly goType: string;

  constructor(goType: string) {
    this.goType = goType;
  }
}

/** A string with a Go type of its own. */
export const namedString = (goType: string): Shape => new NamedString(goType);

/** The shape of an object of a configuration. */
export const struct = (goType: string, fields: Struct['fields']): Struct => ({ goType, fields });

/** A kind of `apiserver.config.k8s.io` in the listed versions, with its fields. */
export interface ConfigurationKind {
  kind: string;
  apiVersions?: readonly string[];
  fields: Struct['fields'];
  embedded?: Struct['embedded'];
}

const group = 'apiserver.config.k8s.io';

const versions = ['v1', 'v1beta1', 'v1alpha1'];
/** The kinds that each of these versions can contain. */
const kinds = ['AuthenticationConfiguration', 'AuthorizationConfiguration'];

/** What {@link readStruct} read. */
export interface ReadStruct {
  value: Readonly<Record<string, unknown>>;
  /** Errors of strict decoding: `unknown field "x"`. */
  unknown: readonly string[];
}

/** Reads an object inside of a configuration. Throws {@link ConfigurationError} for a value of another type. */
export function readStruct(shape: Struct, value: JsonValue | undefined, version: string): ReadStruct {
  const reader = new Reader(version);
  const read = reader.read(shape, value ?? {}, { owner: shape.goType, names: [], at: FieldPath.root });
  if (reader.mistyped !== undefined) throw new ConfigurationError(reader.mistyped);
  return { value: read as ReadStruct['value'], unknown: reader.unknown.sort() };
}

/** Reads a configuration file: YAML or JSON, strictly. Rejects with {@link ConfigurationError}. */
export async function readConfiguration(
  text: string,
  kind: ConfigurationKind,
): Promise<Readonly<Record<string, unknown>>> {
  const { value, unknown } = await readNestedConfiguration(text, kind);
  if (unknown.length > 0) throw new ConfigurationError(strictErrorText(unknown));
  return value;
}

export const strictErrorText = (errors: readonly string[]): string =>
  `strict decoding error: ${errors.join(', ')}`;

/** Reads a configuration file whose objects another reader decodes: errors of strict decoding are reported after those of the objects. */
export async function readNestedConfiguration(
  text: string,
  { kind, apiVersions, fields, embedded }: ConfigurationKind,
): Promise<ReadStruct> {
  const { value, duplicates } = await decodeYaml(text).catch((error: Error) => {
    throw new ConfigurationError(error.message);
  });
  if (!isObject(value) && value !== null) throw new ConfigurationError(noTypeText(value));
  const { apiVersion: _apiVersion, kind: _kind, ...sent } = value ?? {};
  const version = versionOf(value ?? {}, kind, apiVersions, text);
  const reader = new Reader(version);
  const shape = { ...struct(kind, fields), ...(embedded && { embedded }) };
  const read = reader.read(shape, sent, { owner: kind, names: [], at: FieldPath.root });
  if (reader.mistyped !== undefined) throw new ConfigurationError(reader.mistyped);
  const unknown = [
    ...(duplicates.length > 0 ? [yamlDuplicatesText(duplicates)] : []),
    ...reader.unknown.sort(),
  ];
  return { value: read as ReadStruct['value'], unknown };
}

/** Returns the version of a configuration document of that kind. */
function versionOf(
  { apiVersion, kind: sent }: JsonObject,
  kind: string,
  apiVersions: readonly string[] | undefined,
  text: string,
): string {
  const missing = (field: string) => new ConfigurationError(`Object '${field}' is missing in '${text}'`);
  for (const [name, value] of Object.entries({ apiVersion, kind: sent }))
    if (value != null && typeof value !== 'string')
      throw new ConfigurationError(noTypeFieldText(name, value));
  if (String(apiVersion).split('/').length > 2)
    throw new ConfigurationError(`unexpected GroupVersion string: ${String(apiVersion)}`);
  if (typeof sent !== 'string' || sent === '') throw missing('Kind');
  if (typeof apiVersion !== 'string' || apiVersion === '') throw missing('apiVersion');
  const known = apiVersions ?? versions.map((one) => `${group}/${one}`);
  const isKind = apiVersions === undefined ? kinds.includes(sent) : sent === kind;
  if (!known.includes(apiVersion) || !isKind) {
    throw new ConfigurationError(
      `no kind "${sent}" is registered for version "${apiVersion}" in scheme "pkg/runtime/scheme.go:111"`,
    );
  }
  if (sent !== kind) throw new ConfigurationError(`expected ${kind}, got *apiserver.${sent}`);
  return apiVersion.slice(apiVersion.indexOf('/') + 1);
}

/** The position of a value in the document. */
interface Place {
  /** The Go type of the object that contains the field. */
  owner: string;
  /** The field names of the path, without list indexes. */
  names: readonly string[];
  at: FieldPath;
}

/** Applies defaults, and collects unknown fields and type errors. */
class Reader {
  readonly unknown: string[] = [];
  /** The error of the first value with another type. */
  mistyped: string | undefined;
  readonly #version: string;

  constructor(version: string) {
    this.#version = version;
  }

  read(shape: Shape, value: JsonValue | undefined, place: Place): unknown {
    if (shape instanceof Optional) return value == null ? undefined : this.read(shape.shape, value, place);
    if (shape === 'any') return value;
    if (shape === 'string' || shape instanceof NamedString)
      return this.#ofType('string', value ?? '', shape, place);
    if (isNumeric(shape)) return value == null ? undefined : this.#number(shape, value, place);
    if (shape === 'bool') return this.#ofType('boolean', value ?? false, shape, place);
    if (shape === 'pointer') return value == null ? undefined : this.#ofType('string', value, shape, place);
    if (shape === 'duration') return value == null ? undefined : this.#duration(value, place);
    if (shape === 'bytes') return this.#bytes(value ?? '', place);
    if (shape === 'optionalBool')
      return value == null ? undefined : this.#ofType('boolean', value, shape, place);
    if ('fields' in shape) return this.#object(shape, value ?? {}, place);
    return this.#list(shape, value ?? [], place);
  }

  #ofType(type: 'string' | 'boolean', value: JsonValue, shape: Shape, place: Place): JsonValue {
    if (typeof value === type) return value;
    this.#refuse(goJsonType(value), shape, place);
    return type === 'string' ? '' : false;
  }

  /** As in Go, an invalid duration ends the decoding: it takes precedence over values of another type. */
  #duration(value: JsonValue, place: Place): string {
    if (typeof value !== 'string')
      throw new ConfigurationError(this.#typeError(goJsonType(value), 'string', place));
    const read = readDuration(value);
    if ('error' in read) throw new ConfigurationError(read.error);
    return value;
  }

  #bytes(value: JsonValue, place: Place): JsonValue {
    const text = this.#ofType('string', value, 'bytes', place);
    this.mistyped ??= base64Error(String(text));
    return text;
  }

  #number(shape: NumericShape, value: JsonValue, place: Place): number {
    if (typeof value !== 'number' && typeof value !== 'bigint') this.#refuse(goJsonType(value), shape, place);
    else if (isInRange[shape](value)) return Number(value);
    else this.#refuse(`number ${numberText(value)}`, shape, place);
    return 0;
  }

  #list(shape: readonly [Shape], value: JsonValue, place: Place): unknown[] {
    if (Array.isArray(value)) {
      return value.map((item, i) => this.read(shape[0], item, { ...place, at: place.at.index(i) }));
    }
    this.#refuse(goJsonType(value), shape, place);
    return [];
  }

  #object(shape: Struct, value: JsonValue, place: Place): object {
    const read: Record<string, unknown> = {};
    const of = (name: string, field: Shape, sent: JsonValue | undefined): void => {
      const names = [
        ...place.names,
        ...(shape.embedded?.has(name) ? [shape.embedded.get(name) ?? ''] : []),
        name,
      ];
      setOwn(read, name, this.read(field, sent, { owner: shape.goType, names, at: place.at.child(name) }));
    };
    if (!isObject(value)) this.#refuse(goJsonType(value), shape, place);
    // YAML members are read in alphabetical order.
    else {
      for (const name of Object.keys(value).sort()) {
        const field = Object.hasOwn(shape.fields, name) ? shape.fields[name] : undefined;
        if (field === undefined) this.unknown.push(`unknown field "${place.at.child(name)}"`);
        else of(name, field, value[name]);
      }
    }
    for (const [name, field] of Object.entries(shape.fields)) {
      if (!Object.hasOwn(read, name)) of(name, field, undefined);
    }
    return read;
  }

  #refuse(found: string, shape: Shape, place: Place): void {
    this.mistyped ??= this.#typeError(found, shape, place);
  }

  #typeError(found: string, shape: Shape, { owner, names }: Place): string {
    const field = `${owner}.${names.join('.')}`;
    return `json: cannot unmarshal ${found} into Go struct field ${field} of type ${this.#typeName(shape)}`;
  }

  #typeName(shape: Shape): string {
    if (shape instanceof Optional) return this.#typeName(shape.shape);
    if (shape === 'string' || shape === 'pointer' || shape === 'duration') return 'string';
    if (shape === 'bool' || shape === 'optionalBool') return 'bool';
    if (shape === 'any') return 'runtime.Unknown';
    if (shape === 'bytes') return '[]uint8';
    if (isNumeric(shape)) return shape;
    return 'goType' in shape ? `${this.#version}.${shape.goType}` : `[]${this.#typeName(shape[0])}`;
  }
}
