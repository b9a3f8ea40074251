import { baseCosts } from '../costs/factors.ts';
import { fail, Failure } from '../errors.ts';
import { EntryMap } from '../values/map.ts';
import { isKey } from '../values/map.ts';
import type { TypeProvider } from '../typing/declarations.ts';
import type { Value } from '../values/value.ts';
import { present } from './control.ts';
import { type Code, Frame } from './frame.ts';
import { constantStep, type Step } from './step.ts';

/** An element or field of a literal. */
interface Element {
  readonly step: Step;
  readonly optional: boolean;
}

/** Compiles `[a, ?b]`; a list of constants is a constant. */
export function listStep(elements: readonly Element[]): Step {
  const code: Code = (frame) => {
    frame.cost += baseCosts.list;
    const values: Value[] = [];
    for (const { step, optional } of elements) {
      const value = present(step.code(frame), optional, 'list element');
      if (value !== undefined) values.push(value);
    }
    return values;
  };
  const list = folded(
    code,
    elements.map(({ step }) => step),
  );
  const [only] = elements;
  const single = elements.length === 1 && !only!.optional && list.constant === undefined;
  return single ? { ...list, element: only!.step.code } : list;
}

/** Compiles `{key: value}`; with `unique`, invalid and duplicate keys fail. */
export function mapStep(
  entries: readonly { readonly key: Step; readonly value: Step; readonly optional: boolean }[],
  unique: boolean,
): Step {
  const code: Code = (frame) => {
    frame.cost += baseCosts.map;
    const map = new EntryMap();
    for (const { key, value, optional } of entries) {
      const k = key.code(frame);
      if (unique) checkKey(map, k);
      const v = present(value.code(frame), optional, `entry '${String(k)}'`);
      if (v === undefined) map.remove(k);
      else map.insert(k, v);
    }
    return map;
  };
  return folded(
    code,
    entries.flatMap(({ key, value }) => [key, value]),
  );
}

function checkKey(map: EntryMap, key: Value): void {
  if (!isKey(key)) fail('unsupported key type');
  if (map.find(key) !== undefined) fail(`insert failed: key ${String(key)} already exists`);
}

/** Compiles `TypeName{field: value}`. */
export function structStep(
  typeName: string,
  provider: TypeProvider | undefined,
  fields: readonly (Element & { readonly name: string })[],
): Step {
  return {
    code: (frame) => {
      frame.cost += baseCosts.struct;
      const values = new Map<string, Value>();
      for (const { name, step, optional } of fields) {
        const value = present(step.code(frame), optional, `entry '${name}'`);
        if (value === undefined) values.delete(name);
        else values.set(name, value);
      }
      return provider?.construct?.(typeName, values) ?? fail(`unknown type '${typeName}'`);
    },
  };
}

/** Evaluates a literal of constants once at compile time, so that it costs nothing. */
function folded(code: Code, parts: readonly Step[]): Step {
  if (parts.some(({ constant }) => constant === undefined)) return { code };
  try {
    return constantStep(code(new Frame([], 0, Infinity)));
  } catch (error) {
    if (error instanceof Failure) return { code };
    throw error;
  }
}
