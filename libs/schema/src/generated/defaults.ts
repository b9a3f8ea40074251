import { deepCopy, deepEqual, type JsonValue, setOwn, stringifyJson, tooLarge } from '@annex/machinery';
import type { SchemaNode } from '../node.ts';
import { FunctionSource, type Generated, isScalarSource, literal, property } from './function-source.ts';

/**
 * The characters of JSON that defaults may add to one object; kube-apiserver has no limit. Each member of a map
 * can have thousands of defaults: a body of 54 KB became an object of a gigabyte. The store accepts 1.5 MiB.
 */
export const maxDefaultsLength = 3 * 1024 * 1024;

/** Sets the defaults of a schema in a value. */
export type SetDefaults = Generated<void>;

/** What is left of {@link maxDefaultsLength}. Generated code subtracts from it. */
export class DefaultsBudget {
  left = maxDefaultsLength;

  exceeded(): never {
    throw tooLarge(`Request entity too large: limit is ${maxDefaultsLength} characters of defaults`);
  }
}

/**
 * Generates a function that sets defaults, also for nulls that are not allowed. `undefined` if there are none.
 * The function throws 413 beyond {@link maxDefaultsLength}.
 */
export function generateDefaults(root: SchemaNode): SetDefaults | undefined {
  const source = new FunctionSource();
  const budget = new DefaultsBudget();
  const name = fill(root, { source, budget: source.constant(budget) });
  if (name === undefined) return undefined;
  const setDefaults = source.build<void>(name);
  return (value) => {
    budget.left = maxDefaultsLength;
    setDefaults(value);
  };
}

/** The source of the generated functions, and the expression of the budget in it. */
interface Target {
  source: FunctionSource;
  budget: string;
}

/** Returns the name of the function that sets the defaults in a value; `undefined` if there are none. */
function fill(node: SchemaNode, target: Target): string | undefined {
  const { source } = target;
  const fields = [...(node.properties ?? [])].flatMap(([name, child]) => fieldLines(name, child, target));
  const additional = node.additionalProperties === true ? undefined : node.additionalProperties;
  const others = elementLines(additional, 'v[k]', target);
  const items = elementLines(node.items, 'v[i]', target);
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

function fieldLines(name: string, child: SchemaNode, target: Target): string[] {
  const { source } = target;
  const below = fill(child, target);
  if (child.default === undefined && below === undefined) return [];
  const lines = [`x = ${property('v', name)};`];
  if (child.default !== undefined) {
    const isMissing = `x === undefined${child.nullable ? '' : ' || x === null'}`;
    const set =
      name === '__proto__' ? `${source.constant(setOwn)}(v, "__proto__", x)` : `v[${literal(name)}] = x`;
    lines.push(
      `if (${isMissing}) { ${spend(name, child.default, target)} x = ${copyOf(child.default, source)}; ${set}; }`,
    );
  }
  if (below !== undefined) lines.push(`${below}(x);`);
  return lines;
}

/** Items and additional properties get defaults only if they exist. */
function elementLines(child: SchemaNode | undefined, place: string, target: Target): string[] {
  if (child === undefined) return [];
  const below = fill(child, target);
  const replaces = child.default !== undefined && !child.nullable;
  return [
    ...(replaces
      ? [`if (${place} === null) { ${replacement(child.default as JsonValue, place, target)} }`]
      : []),
    ...(below === undefined ? [] : [`${below}(${place});`]),
  ];
}

const replacement = (value: JsonValue, place: string, target: Target): string =>
  `${spend('', value, target)} ${place} = ${copyOf(value, target.source)};`;

/** Returns the statement that subtracts the length of a member from the budget. */
function spend(name: string, value: JsonValue, { budget }: Target): string {
  const length = name.length + stringifyJson(value).length;
  return `if ((${budget}.left -= ${length}) < 0) ${budget}.exceeded();`;
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
