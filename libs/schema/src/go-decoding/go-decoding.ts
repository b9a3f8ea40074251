import { isObject, type JsonValue, tableOf } from '@annex/machinery';
import { structsEmbedding } from './go-names.ts';
import { base64Error, microTimeLayout, quantityError, timeError, timeLayout } from './go-text.ts';
import type { SchemaNode } from '../node.ts';

/**
 * Returns the error of Go's decoder for a value. It is the first type error, unless the unmarshaler of a type fails later:
 * that error ends the decoding and replaces the first.
 */
export type GoDecoder = (value: JsonValue) => string | undefined;

/** Compiles the decoding of JSON into the Go type of a built-in kind; supports cyclic nodes. */
export function compileGoDecoder(root: SchemaNode): GoDecoder {
  const decode = decoders()(root);
  return (value) => {
    const problem = decode(value, undefined);
    return problem && describe(problem);
  };
}

/** Why a value cannot be decoded. */
export interface Problem {
  /** The innermost struct, set while returning from it. */
  struct?: string;
  /** The field names, from the outermost struct inwards. */
  fields: string[];
  /** The decoded JSON (`string`, `number 1.5`) and the expected Go type; or `text` with the whole message. */
  got?: string;
  want?: string;
  text?: string;
  /** True if it ends the decoding. */
  final: boolean;
}

/** Decodes a value. `first` is an earlier problem of the same object; only a final problem replaces it. */
export type Decode = (value: JsonValue, first: Problem | undefined) => Problem | undefined;

/** Returns the text of Go's error. */
export function describe({ struct, fields, got, want, text }: Problem): string {
  if (text !== undefined) return text;
  const where = struct === undefined ? 'value' : `struct field ${struct}.${fields.join('.')}`;
  return `json: cannot unmarshal ${got} into Go ${where} of type ${want}`;
}

/** Returns the decoder of each node, compiled on first use. */
export function decoders(): (node: SchemaNode) => Decode {
  const made = new Map<SchemaNode, Decode>();
  const decoderOf = (node: SchemaNode): Decode => {
    const known = made.get(node);
    if (known !== undefined) return known;
    let decode: Decode | undefined;
    const lazy: Decode = (value, first) => {
      if (value === null) return first;
      return (decode ??= makeDecoder(node, decoderOf))(value, first);
    };
    made.set(node, lazy);
    return lazy;
  };
  return decoderOf;
}

/** The types with custom unmarshalers. Those that unmarshal a string report `string` as the expected type. */
const customDecoders = tableOf<(value: JsonValue) => Partial<Problem> | undefined>({
  'v1.Time': (value) => timeProblem(value, timeLayout),
  'v1.MicroTime': (value) => timeProblem(value, microTimeLayout),
  'resource.Quantity': (value) => textProblem(quantityError(value)),
  'intstr.IntOrString': (value) => (typeof value === 'string' ? undefined : integerProblem(value, 'int32')),
});

const customDecoderOf = ({ goType }: SchemaNode) =>
  goType === undefined ? undefined : customDecoders.get(goType);

/** Returns whether a type has an unmarshaler of its own. */
export const isCustomDecoded = (node: SchemaNode): boolean =>
  node.decodesAs !== undefined || customDecoderOf(node) !== undefined;

function makeDecoder(node: SchemaNode, decoderOf: (node: SchemaNode) => Decode): Decode {
  const special = customDecoderOf(node);
  if (special !== undefined) return customDecoder(special);
  if (node.decodesAs !== undefined) return schemaOrOtherDecoder(node, decoderOf(node.decodesAs));
  if (node.properties !== undefined) return structDecoder(node, node.properties, decoderOf);
  if (node.additionalProperties !== undefined && node.additionalProperties !== true) {
    return mapDecoder(goTypeOfNode(node), decoderOf(node.additionalProperties));
  }
  if (node.items !== undefined) return listDecoder(goTypeOfNode(node), decoderOf(node.items));
  return scalarDecoder(node);
}

function customDecoder(find: (value: JsonValue) => Partial<Problem> | undefined): Decode {
  return (value, first) => {
    const problem = find(value);
    return problem ? { fields: [], final: true, ...problem } : first;
  };
}

/** Decodes a schema or its alternative form; both have custom unmarshalers, which decode their content separately. */
function schemaOrOtherDecoder({ goType = '' }: SchemaNode, schema: Decode): Decode {
  const isFlag = goType.endsWith('OrBool');
  const element = goType.endsWith('OrStringArray') ? scalarDecoder({ type: 'string' }) : schema;
  const list = listDecoder(`[]${goType}`, element);
  const inside = (value: JsonValue): Problem | undefined => {
    if (isObject(value)) return schema(value, undefined);
    if (!isFlag) return Array.isArray(value) ? list(value, undefined) : undefined;
    if (typeof value === 'boolean') return undefined;
    return { fields: [], text: 'boolean or JSON schema expected', final: true };
  };
  return (value, first) => {
    const problem = inside(value);
    return problem ? { ...problem, final: true } : first;
  };
}

function timeProblem(value: JsonValue, layout: string): Partial<Problem> | undefined {
  if (typeof value !== 'string') return { got: jsonType(value), want: 'string' };
  return textProblem(timeError(value, layout));
}

const textProblem = (text: string | undefined): Partial<Problem> | undefined =>
  text === undefined ? undefined : { text };

function structDecoder(
  node: SchemaNode,
  properties: Map<string, SchemaNode>,
  decoderOf: (node: SchemaNode) => Decode,
): Decode {
  const want = goTypeOfNode(node);
  const step = fieldDecoder(node, properties, decoderOf);
  return (value, first) => {
    if (!isObject(value)) return first ?? typeError(value, want);
    let problem = first;
    for (const name in value) {
      problem = step(name, value[name] as JsonValue, problem);
      if (problem?.final) return problem;
    }
    return problem;
  };
}

/** Returns the decoder of one field of a struct. */
function fieldDecoder(
  node: SchemaNode,
  properties: Map<string, SchemaNode>,
  decoderOf: (node: SchemaNode) => Decode,
): (name: string, value: JsonValue, first: Problem | undefined) => Problem | undefined {
  const fields = new Map([...properties].map(([name, child]) => [name, decoderOf(child)]));
  const locate = locateIn(node);
  return (name, value, first) => locate(name, fields.get(name)?.(value, first), first);
}

/** Adds the struct and the field to a problem that was found in it, unless it is that from before. */
type Locate = (name: string, found: Problem | undefined, first: Problem | undefined) => Problem | undefined;

/** Returns what locates the problems of the fields of a struct. */
export function locateIn(node: SchemaNode): Locate {
  const want = goTypeOfNode(node);
  const struct = want.slice(want.lastIndexOf('.') + 1);
  return (name, found, first) => {
    if (found === first || found === undefined) return first;
    found.struct ??= struct;
    found.fields.unshift(...structsEmbedding(want, name), name);
    return found;
  };
}

function mapDecoder(want: string, decode: Decode): Decode {
  return (value, first) => {
    if (!isObject(value)) return first ?? typeError(value, want);
    let problem = first;
    for (const name in value) {
      problem = decode(value[name] as JsonValue, problem);
      if (problem?.final) return problem;
    }
    return problem;
  };
}

function listDecoder(want: string, decode: Decode): Decode {
  return (value, first) => {
    if (!Array.isArray(value)) return first ?? typeError(value, want);
    let problem = first;
    for (let i = 0; i < value.length; i++) {
      problem = decode(value[i] as JsonValue, problem);
      if (problem?.final) return problem;
    }
    return problem;
  };
}

function scalarDecoder(node: SchemaNode): Decode {
  const want = goTypeOfNode(node);
  if (node.type === 'integer') {
    return (value, first) => {
      const problem = first ? undefined : integerProblem(value, want);
      return problem ? { fields: [], final: false, ...problem } : first;
    };
  }
  if (want === '[]uint8') return bytesDecoder;
  const is = scalarTests[node.type ?? ''];
  if (is === undefined) return (_, first) => first;
  return (value, first) => (is(value) ? first : (first ?? typeError(value, want)));
}

const scalarTests: Record<string, (value: JsonValue) => boolean> = {
  string: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  number: (value) => typeof value === 'number' || typeof value === 'bigint',
};

const bytesDecoder: Decode = (value, first) => {
  if (first !== undefined) return first;
  if (typeof value !== 'string') return typeError(value, '[]uint8');
  const text = base64Error(value);
  return text === undefined ? undefined : { fields: [], text, final: false };
};

const integerRanges = tableOf<[min: number | bigint, max: number | bigint]>({
  int32: [-(2 ** 31), 2 ** 31 - 1],
  int64: [-(2n ** 63n), 2n ** 63n - 1n],
});

function integerProblem(value: JsonValue, want: string): Partial<Problem> | undefined {
  if (typeof value !== 'number' && typeof value !== 'bigint') return { got: jsonType(value), want };
  const [min, max] = integerRanges.get(want) ?? [-Infinity, Infinity];
  const whole = typeof value === 'bigint' || Number.isInteger(value);
  return whole && value >= min && value <= max ? undefined : { got: `number ${value}`, want };
}

const typeError = (value: JsonValue, want: string): Problem => ({
  fields: [],
  got: jsonType(value),
  want,
  final: false,
});

/** Returns the name of a JSON value in Go's decoder. */
function jsonType(value: JsonValue): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'bigint' ? 'number' : typeof value;
}

const scalarTypes: Record<string, string> = {
  string: 'string',
  boolean: 'bool',
  integer: 'int64',
  number: 'float64',
};

/** Returns the Go type as Go's errors print it. Named types of strings, lists and maps are unknown. */
export function goTypeOfNode(node: SchemaNode): string {
  if (node.goType !== undefined) return node.goType;
  if (node.format === 'byte') return '[]uint8';
  if (node.items !== undefined) return `[]${goTypeOfNode(node.items)}`;
  if (node.additionalProperties !== undefined && node.additionalProperties !== true) {
    const of = goTypeOfNode(node.additionalProperties);
    return of === 'resource.Quantity' ? 'v1.ResourceList' : `map[string]${of}`;
  }
  if (node.type === 'integer' && node.format === 'int32') return 'int32';
  return scalarTypes[node.type ?? ''] ?? 'interface {}';
}
