import { isObject } from './json-object.ts';
import { JsonPathError, parseTemplate, type PathNode } from './jsonpath-parser.ts';

/** A compiled JSONPath, which finds values in a JSON value. */
export interface JsonPath {
  /**
   * Returns the matches of the first action, in order; none if a key is missing. Throws {@link JsonPathError}
   * with kube-apiserver's message if the path does not fit the data, and if it visits more values than the
   * budget has, which several searches may share.
   */
  find(data: unknown, budget?: JsonPathBudget): unknown[];
}

type Step = (values: unknown[], budget: JsonPathBudget) => unknown[];

/**
 * Values that the steps of a path may visit. Unions such as `[0,0]` and repeated `..` multiply the number of
 * values with each step, up to the size of the memory. kube-apiserver has no limit.
 */
export const maxJsonPathValues = 100_000;

/** What is left of a maximum number of visited values. */
export class JsonPathBudget {
  #left: number;

  constructor(values = maxJsonPathValues) {
    this.#left = values;
  }

  /** Throws {@link JsonPathError} if less is left. */
  spend(values: number): void {
    this.#left -= values;
    if (this.#left < 0) throw new JsonPathError(`more than ${maxJsonPathValues} values are found`);
  }
}

/** Joins the results of all values. */
function gather<T>(
  values: readonly T[],
  budget: JsonPathBudget,
  each: (value: T) => readonly unknown[],
): unknown[] {
  const found: unknown[] = [];
  budget.spend(values.length);
  for (const value of values) {
    const more = each(value);
    budget.spend(more.length);
    for (const one of more) found.push(one);
  }
  return found;
}

/**
 * Compiles a path in the dialect of printer columns and kubectl: `.spec.x`, `['a']`, `[-1]`, `[*]`, `..`,
 * `?(@.a=="b")`.
 */
export function compileJsonPath(path: string): JsonPath {
  return compileJsonPathTemplate(`{${path}}`);
}

/** Compiles the form with braces, `{.spec.x}`; text outside of them is a separate match. */
export function compileJsonPathTemplate(template: string): JsonPath {
  const [first = []] = parseTemplate(template);
  const run = chain(first);
  return { find: (data, budget = new JsonPathBudget()) => run([data], budget) };
}

function chain(nodes: PathNode[]): Step {
  const steps = nodes.map(compile);
  return (values, budget) => steps.reduce((current, step) => step(current, budget), values);
}

function compile(node: PathNode): Step {
  switch (node.kind) {
    case 'text':
      return () => [node.text];
    case 'number':
    case 'bool':
      return (values) => values.map(() => node.value);
    case 'identifier':
      return () => {
        throw new JsonPathError(`unrecognized identifier ${node.name}`);
      };
    case 'field':
      return (values, budget) => gather(values, budget, (value) => fieldOf(value, node.name));
    case 'wildcard':
      return (values, budget) => gather(values, budget, children);
    case 'recursive':
      return (values, budget) => gather(values, budget, (value) => descend(value, budget));
    case 'union': {
      const branches = node.branches.map(chain);
      return (values, budget) => gather(branches, budget, (branch) => branch(values, budget));
    }
    case 'slice':
      return (values, budget) => gather(values, budget, (value) => sliceOf(value, node));
    case 'filter':
      return compileFilter(node);
  }
}

const fieldOf = (value: unknown, name: string): unknown[] =>
  isObject(value) && Object.hasOwn(value, name) ? [value[name]] : [];

function children(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  if (isObject(value)) return Object.values(value);
  // Go ranges over the bytes of a string.
  return typeof value === 'string' ? [...new TextEncoder().encode(value)] : [];
}

/** Returns the values that have children, each before those below it. */
function descend(root: unknown, budget: JsonPathBudget): unknown[] {
  const found: unknown[] = [];
  const todo: unknown[] = [root];
  for (let value = todo.pop(); todo.length > 0 || value !== undefined; value = todo.pop()) {
    if (typeof value === 'string') {
      if (value !== '') found.push(value);
      continue;
    }
    const below = children(value);
    if (below.length === 0) continue;
    budget.spend(below.length);
    found.push(value);
    for (let i = below.length - 1; i >= 0; i--) todo.push(below[i]);
  }
  return found;
}

function sliceOf(value: unknown, node: PathNode & { kind: 'slice' }): unknown[] {
  if (value === null || value === undefined) return [];
  if (!Array.isArray(value)) throw new JsonPathError(`${goType(value)} is not array or slice`);
  const { length } = value;
  let start = node.start ?? 0;
  if (start < 0) start += length;
  let end = node.end ?? length;
  if (end < 0 || (end === 0 && node.single)) end += length;
  if (start === end) return [];
  if (start >= length || start < 0) throw outOfBounds(start, length);
  if (end > length || end < 0) throw outOfBounds(end - 1, length);
  if (start > end) {
    throw new JsonPathError(`starting index ${start} is greater than ending index ${end}`);
  }
  const step = node.step ?? 1;
  if (step <= 0) throw new JsonPathError('step must be > 0');
  return value.slice(start, end).filter((_item, i) => i % step === 0);
}

const outOfBounds = (index: number, length: number) =>
  new JsonPathError(`array index out of bounds: index ${index}, length ${length}`);

function compileFilter(node: PathNode & { kind: 'filter' }): Step {
  const left = chain(node.left);
  const right = chain(node.right);
  const { operator } = node;
  const passes = (item: unknown, budget: JsonPathBudget): boolean => {
    if (operator === 'exists') return exists(left, item, budget);
    const lefts = left([item], budget);
    if (lefts.length === 0) return false;
    const rights = right([item], budget);
    if (rights.length === 0) return false;
    if (lefts.length > 1 || rights.length > 1) {
      throw new JsonPathError('can only compare one element at a time');
    }
    return holds(operator, lefts[0], rights[0]);
  };
  return (values, budget) =>
    gather(values, budget, (value) => {
      if (!Array.isArray(value)) {
        throw new JsonPathError(`${String(value)} is not array or slice and cannot be filtered`);
      }
      budget.spend(value.length);
      return value.filter((item) => passes(item, budget));
    });
}

// An evaluation error means that the item does not exist.
function exists(path: Step, item: unknown, budget: JsonPathBudget): boolean {
  try {
    return path([item], budget).length > 0;
  } catch (error) {
    if (error instanceof JsonPathError) return false;
    throw error;
  }
}

function holds(operator: string, a: unknown, b: unknown): boolean {
  switch (operator) {
    case '==':
      return equal(a, b);
    case '!=':
      return !equal(a, b);
    case '<':
      return less(a, b);
    case '>=':
      return !less(a, b);
    case '<=':
      return less(a, b) || equal(a, b);
    case '>':
      return !(less(a, b) || equal(a, b));
    default:
      throw new JsonPathError(`unrecognized filter operator ${operator}`);
  }
}

type Basic = number | bigint | string | boolean;

function sameKind(a: unknown, b: unknown): [Basic, Basic] {
  const left = basicKind(a);
  if (left !== basicKind(b)) throw new JsonPathError('incompatible types for comparison');
  return [a as Basic, b as Basic];
}

// Go compares integers only with integers and floats only with floats; a whole number of JSON is an integer.
function basicKind(value: unknown): 'integer' | 'float' | 'string' | 'boolean' {
  const kind = typeof value;
  if (kind === 'bigint') return 'integer';
  if (kind === 'number') return Number.isSafeInteger(value) ? 'integer' : 'float';
  if (kind === 'string' || kind === 'boolean') return kind;
  throw new JsonPathError('invalid type for comparison');
}

function equal(a: unknown, b: unknown): boolean {
  const [left, right] = sameKind(a, b);
  // Only loose comparison compares an int64 beyond 2^53 with a number.
  return typeof left === 'bigint' || typeof right === 'bigint' ? left == right : left === right;
}

function less(a: unknown, b: unknown): boolean {
  const [left, right] = sameKind(a, b);
  if (typeof left === 'boolean') throw new JsonPathError('invalid type for comparison');
  return left < right;
}

const goType = (value: unknown): string =>
  isObject(value)
    ? 'map[string]interface {}'
    : typeof value === 'boolean'
      ? 'bool'
      : typeof value === 'string'
        ? 'string'
        : Number.isInteger(Number(value))
          ? 'int64'
          : 'float64';
