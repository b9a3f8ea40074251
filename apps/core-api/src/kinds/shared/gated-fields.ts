import type { Preparation } from '@annex/kinds';
import { getOwn, isObject, type JsonObject, type KubeObject } from '@annex/machinery';

/**
 * Drops fields behind feature gates that are disabled by default, given by their dotted paths. An update keeps them where the
 * stored object has them.
 */
export function gatedFields(...paths: readonly string[]): Preparation {
  const fields = paths.map((path) => {
    const names = path.split('.');
    return { parents: names.slice(0, -1), name: names.at(-1) ?? '' };
  });
  const drop = (object: KubeObject, old?: KubeObject): void => {
    for (const { parents, name } of fields) {
      const parent = parentOf(object, parents);
      if (parent === undefined || !Object.hasOwn(parent, name)) continue;
      const before = old && parentOf(old, parents);
      if (before === undefined || getOwn(before, name) === undefined) delete parent[name];
    }
  };
  return {
    prepareForCreate: (object) => drop(object),
    prepareForUpdate: (object, old) => drop(object, old),
  };
}

const parentOf = (object: KubeObject, names: readonly string[]): JsonObject | undefined =>
  names.reduce<JsonObject | undefined>(
    (value, name) => {
      const child = value && getOwn(value, name);
      return isObject(child) ? child : undefined;
    },
    object as unknown as JsonObject,
  );
