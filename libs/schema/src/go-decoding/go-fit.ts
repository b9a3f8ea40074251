import { type JsonValue, isObject } from '@annex/machinery';
import type { SchemaNode } from '../node.ts';
import { goTypeOfNode } from './go-decoding.ts';

/**
 * Returns true if Go decodes a value without errors and encodes it unchanged: every field is known and has its type, no
 * value is null, and no type is normalized. False means unknown.
 */
export type GoFit = (value: JsonValue) => boolean;

/** Compiles the check to one walk; supports cyclic nodes and compiles each node on first use. */
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

/** The Go types that are scalars in JSON but not in Go. */
const special = new Set(['v1.Time', 'v1.MicroTime', 'resource.Quantity', 'intstr.IntOrString', '[]uint8']);

/** Returns the check of a scalar; `undefined` for structs, maps and lists. */
function scalarFit(node: SchemaNode): GoFit | undefined {
  if ('decodesAs' in node) return never;
  if ('properties' in node || 'items' in node || 'additionalProperties' in node) return undefined;
  const goType = goTypeOfNode(node);
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
