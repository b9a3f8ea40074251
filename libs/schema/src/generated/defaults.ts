import { deepCopy, deepEqual, type JsonValue, setOwn, stringifyJson } from '@annex/machinery';
import type { SchemaNode } from '../node.ts';
import { FunctionSource, type Generated, isScalarSource, literal, property } from './function-source.ts';

/** Generates a function that sets defaults, also for nulls that are not allowed. `undefined` if there are none. */
export function generateDefaults(root: SchemaNode): Generated<void> | undefined {
  const source = new FunctionSource();
  const name = fill(root, source);
  return name === undefined ? undefined : source.build(name);
}

/** Returns the name of the function that sets the defaults in a value; `undefined` if there are none. */
function fill(node: SchemaNode, source: FunctionSource): string | undefined {
  const fields = [...(node.properties ?? [])].flatMap(([name, child]) => fieldLines(name, child, source));
  const additional = node.additionalProperties === true ? undefined : node.additionalProperties;
  const others = elementLines(additional, 'v[k]', source);
  const items = elementLines(node.items, 'v[i]', source);
  if (fields.length + others.length + items.length === 0) return undefined;
  const known = node.properties ? `if (${source.constant(node.properties)}.has(k)) continue;` : '';
  return source.add(
    [
      `if (${isScalarSource('v')}) return;`,
      `if (Array.isArray(v)) { ${items.length > 0 ? `for (let i = 0; i < v.length; i++) { ${items.join(' ')} }` : ''} return; }`,
      'let x;',
      ...fields,
      ...(others.length > 0 ? [`for (const k in v) { ${known} ${others.join(' ')} }`] : []),
    ].join('\n'),
  );
}

function fieldLines(name: string, child: SchemaNode, source: FunctionSource): string[] {
  const below = fill(child, source);
  if (child.default === undefined && below === undefined) return [];
  const lines = [`x = ${property('v', name)};`];
  if (child.default !== undefined) {
    const isMissing = `x === undefined${child.nullable ? '' : ' || x === null'}`;
    const set =
      name === '__proto__' ? `${source.constant(setOwn)}(v, "__proto__", x)` : `v[${literal(name)}] = x`;
    lines.push(`if (${isMissing}) { x = ${copyOf(child.default, source)}; ${set}; }`);
  }
  if (below !== undefined) lines.push(`${below}(x);`);
  return lines;
}

/** Items and additional properties get defaults only if they exist. */
function elementLines(child: SchemaNode | undefined, place: string, source: FunctionSource): string[] {
  if (child === undefined) return [];
  const below = fill(child, source);
  const replaces = child.default !== undefined && !child.nullable;
  return [
    ...(replaces ? [`if (${place} === null) ${place} = ${copyOf(child.default as JsonValue, source)};`] : []),
    ...(below === undefined ? [] : [`${below}(${place});`]),
  ];
}

/** Returns an expression that creates a new copy on each evaluation. */
function copyOf(value: JsonValue, source: FunctionSource): string {
  const text = stringifyJson(value);
  // Large integers, and the name that would set a prototype, cannot be JavaScript literals.
  if (isLiteral(value, text) && !text.includes('__proto__')) return text;
  return `${source.constant(deepCopy)}(${source.constant(value)})`;
}

const isLiteral = (value: JsonValue, text: string): boolean =>
  deepEqual(JSON.parse(text) as JsonValue, value);
