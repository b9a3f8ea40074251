/** The general category of a type. */
export type TypeKind =
  | 'any'
  | 'bool'
  | 'bytes'
  | 'double'
  | 'duration'
  | 'dyn'
  | 'error'
  | 'int'
  | 'list'
  | 'map'
  | 'null'
  | 'opaque'
  | 'string'
  | 'struct'
  | 'timestamp'
  | 'type'
  | 'typeParam'
  | 'uint';

/** A type of the language, used by the checker and as the value of `type(x)`. */
export class CelType {
  readonly kind: TypeKind;
  /** The name at run time, without parameters: `list`, `google.protobuf.Timestamp`, `kubernetes.URL`. */
  readonly name: string;
  readonly parameters: readonly CelType[];
  /** True for a wrapper type, to which null is assignable. */
  readonly nullable: boolean;
  #text: string | undefined;

  constructor(kind: TypeKind, name: string, parameters: readonly CelType[] = [], nullable = false) {
    this.kind = kind;
    this.name = name;
    this.parameters = parameters;
    this.nullable = nullable;
  }

  /** Returns the type as errors of the checker print it: `map(string, list(duration))`. */
  toString(): string {
    this.#text ??= this.#format();
    return this.#text;
  }

  /** Returns the type as kube-apiserver's errors print it: `map(string, list(google.protobuf.Duration))`. */
  fullName(): string {
    if (this.parameters.length === 0) return this.name;
    return `${this.name}(${this.parameters.map((parameter) => parameter.fullName()).join(', ')})`;
  }

  #format(): string {
    const short = shortNames[this.kind];
    if (short !== undefined) return short;
    if (this.parameters.length > 0) return `${this.name}(${this.parameters.join(', ')})`;
    return this.nullable ? `wrapper(${this.name})` : this.name;
  }
}

const shortNames: Partial<Record<TypeKind, string>> = {
  any: 'any',
  duration: 'duration',
  error: '!error!',
  null: 'null',
  timestamp: 'timestamp',
};

/** The types without parameters. */
export const types = {
  any: new CelType('any', 'google.protobuf.Any'),
  bool: new CelType('bool', 'bool'),
  bytes: new CelType('bytes', 'bytes'),
  double: new CelType('double', 'double'),
  duration: new CelType('duration', 'google.protobuf.Duration'),
  dyn: new CelType('dyn', 'dyn'),
  error: new CelType('error', 'error'),
  int: new CelType('int', 'int'),
  null: new CelType('null', 'null_type'),
  string: new CelType('string', 'string'),
  timestamp: new CelType('timestamp', 'google.protobuf.Timestamp'),
  type: new CelType('type', 'type'),
  uint: new CelType('uint', 'uint'),
} as const;

/** Returns the type of lists with an element type. */
export function listType(element: CelType): CelType {
  return new CelType('list', 'list', [element]);
}

/** Returns the type of maps with key and value types. */
export function mapType(key: CelType, value: CelType): CelType {
  return new CelType('map', 'map', [key, value]);
}

/** Returns the type of optional values: `optional_type(T)`. */
export function optionalType(value: CelType): CelType {
  return opaqueType('optional_type', value);
}

/** Creates a type that only library functions read. */
export function opaqueType(name: string, ...parameters: CelType[]): CelType {
  return new CelType('opaque', name, parameters);
}

/** Creates a type with fields, which a `TypeProvider` declares. */
export function structType(name: string): CelType {
  return wellKnownTypes.get(name) ?? new CelType('struct', name);
}

/** Creates a type parameter of a signature, such as `A` in `list(A)`. */
export function typeParam(name: string): CelType {
  return new CelType('typeParam', name);
}

/** Returns the type of a type: `type(int)`. */
export function typeOfType(of: CelType): CelType {
  return new CelType('type', 'type', [of]);
}

/** Returns the wrapper of a primitive type, to which null is assignable too. */
export function nullableType(wrapped: CelType): CelType {
  return new CelType(wrapped.kind, wrapped.name, wrapped.parameters, true);
}

/** Returns true if two types and all their parameters are equal; a wrapper equals the type it wraps. */
export function sameType(a: CelType, b: CelType): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind || a.name !== b.name || a.parameters.length !== b.parameters.length) return false;
  return a.parameters.every((parameter, i) => sameType(parameter, b.parameters[i]!));
}

const wellKnownTypes = new Map<string, CelType>([
  ['google.protobuf.BoolValue', nullableType(types.bool)],
  ['google.protobuf.BytesValue', nullableType(types.bytes)],
  ['google.protobuf.DoubleValue', nullableType(types.double)],
  ['google.protobuf.FloatValue', nullableType(types.double)],
  ['google.protobuf.Int64Value', nullableType(types.int)],
  ['google.protobuf.Int32Value', nullableType(types.int)],
  ['google.protobuf.UInt64Value', nullableType(types.uint)],
  ['google.protobuf.UInt32Value', nullableType(types.uint)],
  ['google.protobuf.StringValue', nullableType(types.string)],
  ['google.protobuf.Any', types.any],
  ['google.protobuf.Duration', types.duration],
  ['google.protobuf.Timestamp', types.timestamp],
  ['google.protobuf.ListValue', listType(types.dyn)],
  ['google.protobuf.NullValue', types.null],
  ['google.protobuf.Struct', mapType(types.string, types.dyn)],
  ['google.protobuf.Value', types.dyn],
]);
