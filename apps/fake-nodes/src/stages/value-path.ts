import { getOwn, isObject, type JsonValue } from '@annex/machinery';

/** Returns the values at a path of an object; nulls and absent values are left out. */
export type ValuePath = (object: JsonValue) => JsonValue[];

/** Steps of one path. */
export const maxPathSteps = 64;

/** Characters of one path. */
export const maxPathLength = 2048;

const name = /(?:\s*\|\s*)?\.([A-Za-z_]\w*)/y;
const quotedName = /\.?\[\s*"([^"\\]*)"\s*\]/y;
const index = /\.?\[\s*(\d{1,9})\s*\]/y;
const every = /\.?\[\s*\]/y;
const selection = /\s*\|\s*select\s*\(\s*(\.[^=|()\s]+)\s*==\s*"([^"\\]*)"\s*\)/y;

type Step = (values: JsonValue[]) => JsonValue[];

/**
 * Compiles a path in the subset of jq that selectors of KWOK use: `.a.b`, `.a["b/c"]`, `.a[0]`, `.a[]`, `.a.[]`, and
 * `| select(.type == "Ready") | .status`. Throws an Error for everything else.
 */
export function compileValuePath(text: string): ValuePath {
  if (text.length > maxPathLength) throw new Error(`a path has at most ${maxPathLength} characters`);
  const steps: Step[] = [];
  let at = 0;
  const match = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found !== null) at += found[0].length;
    return found;
  };
  const path = text.trimEnd();
  at = path.length - path.trimStart().length;
  while (at < path.length) {
    const step = nextStep(match);
    if (step === undefined)
      throw new Error(`unsupported expression at ${JSON.stringify(path.slice(at, at + 20))}`);
    steps.push(step);
    if (steps.length > maxPathSteps) throw new Error(`a path has at most ${maxPathSteps} steps`);
  }
  if (steps.length === 0) throw new Error('unsupported expression: it is empty');
  return (object) => steps.reduce((values, step) => step(values).filter((value) => value !== null), [object]);
}

function nextStep(match: (pattern: RegExp) => RegExpExecArray | null): Step | undefined {
  const member = match(name) ?? match(quotedName);
  if (member !== null) {
    const key = member[1] ?? '';
    return (values) =>
      values
        .flatMap((value) => (isObject(value) ? [getOwn(value, key) as JsonValue | undefined] : []))
        .filter(isPresent);
  }
  const item = match(index);
  if (item !== null)
    return (values) => values.flatMap((value) => itemsOf(value).slice(Number(item[1])).slice(0, 1));
  if (match(every) !== null) return (values) => values.flatMap(itemsOf);
  const selected = match(selection);
  if (selected === null) return undefined;
  const inner = compileValuePath(selected[1] ?? '');
  return (values) => values.filter((value) => inner(value).includes(selected[2] ?? ''));
}

const isPresent = (value: JsonValue | undefined): value is JsonValue => value !== undefined;

const itemsOf = (value: JsonValue): JsonValue[] => {
  if (Array.isArray(value)) return value;
  return isObject(value) ? Object.values(value) : [];
};
