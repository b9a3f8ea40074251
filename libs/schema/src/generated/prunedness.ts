import { isNullDropped } from '../null-removal.ts';
import type { SchemaNode } from '../node.ts';
import { typeAndMetadata } from '../pruning.ts';
import { FunctionSource, type Generated, isScalarSource, literal } from './function-source.ts';

/**
 * Generates a fast test whether pruning leaves an object unchanged: it has no unknown fields and no forbidden nulls. False
 * means unknown. Does not support schemas with embedded resources.
 */
export function generatePrunedness(root: SchemaNode): Generated<boolean> {
  const source = new FunctionSource();
  return source.build(source.add(objectTest(root, source, typeAndMetadata)));
}

/** Returns the expression that tests a value other than null. */
function test(node: SchemaNode, value: string, source: FunctionSource): string {
  const { properties, additionalProperties, items, preserveUnknownFields } = node;
  if (properties !== undefined || additionalProperties !== undefined)
    return `${source.add(objectTest(node, source))}(${value})`;
  if (items !== undefined && preserveUnknownFields !== true)
    return `${source.add(listTest(items, source))}(${value})`;
  return preserveUnknownFields === true && items === undefined ? 'true' : isScalarSource(value);
}

function listTest(items: SchemaNode, source: FunctionSource): string {
  const item = test(items, 'x', source);
  return [
    `if (!Array.isArray(v)) return ${isScalarSource('v')};`,
    ...(item === 'true'
      ? []
      : [`for (let i = 0; i < v.length; i++) { const x = v[i]; if (!${item}) return false; }`]),
    'return true;',
  ].join('\n');
}

/** `kept` are the fields that pruning never removes. */
function objectTest(node: SchemaNode, source: FunctionSource, kept: ReadonlySet<string> = new Set()): string {
  const tests = new Map([...kept].map((name) => [name, 'if (x === null) return false;']));
  for (const [name, child] of node.properties ?? []) {
    if (!kept.has(name)) tests.set(name, fieldTest(child, source));
  }
  const { key, cases } = switchOn([...tests.keys()], source);
  const lines = [...tests.values()].map((line, i) => `case ${cases[i]}: ${line} break;`);
  return [
    `if (${isScalarSource('v')}) return true;`,
    'if (Array.isArray(v)) return false;',
    `for (const k in v) { const x = v[k]; switch (${key}) {\n${lines.join('\n')}\ndefault: ${othersTest(node, source)} } }`,
    'return true;',
  ].join('\n');
}

/** A switch compares a name with each of its cases; from this number on, the names are numbered by a table. */
const numberedCases = 64;

/** Returns the expression of a switch on the field `k`, and the literals of its cases. */
function switchOn(names: readonly string[], source: FunctionSource): { key: string; cases: string[] } {
  if (names.length < numberedCases) return { key: 'k', cases: names.map(literal) };
  const numbers = new Map(names.map((name, i) => [name, i]));
  return { key: `${source.constant(numbers)}.get(k)`, cases: names.map((_name, i) => String(i)) };
}

function fieldTest(child: SchemaNode, source: FunctionSource): string {
  const below = test(child, 'x', source);
  if (isNullDropped(child)) return `if (x === null || !${below}) return false;`;
  return below === 'true' ? '' : `if (x !== null && !${below}) return false;`;
}

function othersTest(
  { additionalProperties, preserveUnknownFields }: SchemaNode,
  source: FunctionSource,
): string {
  if (additionalProperties === true) return `if (!${isScalarSource('x')}) return false;`;
  if (additionalProperties !== undefined) return fieldTest(additionalProperties, source);
  return preserveUnknownFields === true ? '' : 'return false;';
}
