import { type JsonValue, isObject } from '@annex/machinery';
import type { SchemaNode } from '../node.ts';
import { goTypeOf } from './go-decoding.ts';

/**
 * True for a value that Go's decoding takes without a word and encodes again as it is: every field is known and of its type, none is
 * null, and none is of a type that has a form of its own. False may be said of others that would pass as well.
 */
export type GoFit = (value: JsonValue) => boolean;

/** Compiles the question into one walk; works on cyclic nodes, each of which is compiled when a value first needs it. */
export function compileGoFit(root: SchemaNode): GoFit {
  const made = new Map<SchemaNode, GoFit>();
  const fitOf = (node: SchemaNode): GoFit => {
    const known = made.get(node);
    if (known !== undefined) return known;
    let composed: GoFit | undefined;
    const fit = scalarFit(node) ?? ((value) => (composed ??= makeFit(node, fitOf))(value));
    made.set(node, fit);
    return fit;
  };
  return fitOf(root);
}

const isText: GoFit = (value) => typeof value === 'string';
const isFlag: GoFit = (value) => typeof value === 'boolean';
const isInt32: GoFit = (value) => typeof value === 'number' && (value | 0) === value;
const isSafeInteger: GoFit = (value) => Number.isSafeInteger(value);
const never: GoFit = () => false;

/** Go types of scalars in JSON that are no such scalars in Go. */
const special = new Set(['v1.Time', 'v1.MicroTime', 'resource.Quantity', 'intstr.IntOrString', '[]uint8']);

/** The fit of what has nothing below it; `undefined` for structs, maps and lists. */
function scalarFit(node: SchemaNode): GoFit | undefined {
  if ('decodesAs' in node) return never;
  if ('properties' in node || 'items' in node || 'additionalProperties' in node) return undefined;
  const goType = goTypeOf(node);
  if (special.has(goType)) return never;
  if (node.type === 'string') return isText;
  if (node.type === 'boolean') return isFlag;
  if (node.type === 'integer') return goType === 'int64' ? isSafeInteger : isInt32;
  return never;
}

function makeFit(
  { properties, additionalProperties, items }: SchemaNode,
  fitOf: (node: SchemaNode) => GoFit,
): GoFit {
  if (properties !== undefined) {
    return structFit(new Map([...properties].map(([name, child]) => [name, fitOf(child)])));
  }
  if (items !== undefined) return listFit(fitOf(items));
  return additionalProperties === undefined || additionalProperties === true
    ? never
    : mapFit(fitOf(additionalProperties));
}

function structFit(fields: ReadonlyMap<string, GoFit>): GoFit {
  return (value) => {
    if (!isObject(value)) return false;
    for (const name in value) {
      const fit = fields.get(name);
      if (fit === undefined || !fit(value[name] as JsonValue)) return false;
    }
    return true;
  };
}

function mapFit(fit: GoFit): GoFit {
  return (value) => {
    if (!isObject(value)) return false;
    for (const name in value) if (!fit(value[name] as JsonValue)) return false;
    return true;
  };
}

function listFit(fit: GoFit): GoFit {
  return (value) => {
    if (!Array.isArray(value)) return false;
    for (let i = 0; i < value.length; i++) if (!fit(value[i] as JsonValue)) return false;
    return true;
  };
}
