import { getOwn, type JsonObject, type JsonValue, type KubeObject, type Passes } from '@annex/machinery';
import { fieldElement, printElement } from '../managed-fields/field-set-element.ts';
import type { SchemaNode } from '../node.ts';
import { mergeTypedInPasses } from '../typed-values/typed-merge.ts';
import { type MergeType, objectMergeType } from '../typed-values/typed-schema.ts';
import { validateTypedInPasses } from '../typed-values/typed-validate.ts';
import { type NativeJson, withoutNatives } from './native-value.ts';
import { asList, asMap, formOf } from '../typed-values/typed-value.ts';

/**
 * Merges a configuration into an object like server-side apply, in passes, but without ownership: it removes no field and
 * reports no conflict. Throws an Error with kube-apiserver's message if the configuration does not match the schema or replaces an
 * atomic value.
 */
export function* mergeConfiguration(
  object: KubeObject,
  provided: { [name: string]: NativeJson },
  schema: SchemaNode,
): Passes<KubeObject> {
  const type = objectMergeType(schema);
  const configuration = yield* withPrefix(
    'failed to convert patch object to typed object',
    typedConfiguration(provided, type),
  );
  yield;
  const atomics = atomicPaths(configuration, type, '');
  if (atomics.length > 0) {
    throw new Error(
      `invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ${atomics.join(', ')}`,
    );
  }
  const live = object as unknown as JsonObject;
  yield* withPrefix(
    'failed to convert original object to typed object',
    validateTypedInPasses(live, type, { allowDuplicates: true }),
  );
  yield;
  return (yield* mergeTypedInPasses(live, configuration, type)) as unknown as KubeObject;
}

function* typedConfiguration(provided: { [name: string]: NativeJson }, type: MergeType): Passes<JsonObject> {
  const json = withoutNatives(provided, type) as JsonObject;
  yield;
  yield* validateTypedInPasses(json, type, { allowDuplicates: false });
  return json;
}

function* withPrefix<T>(what: string, check: Passes<T>): Passes<T> {
  try {
    return yield* check;
  } catch (error) {
    throw new Error(`${what}: ${(error as Error).message}`, { cause: error });
  }
}

/** Returns the paths of the atomic lists and maps in a configuration. */
function atomicPaths(value: JsonValue, type: MergeType, path: string): string[] {
  const form = formOf(type, value);
  const [list, map] = [asList(value), asMap(value)];
  if (form === 'map' && map !== undefined && type.map !== undefined) {
    const { atomic, fields } = type.map;
    const below = [...fields].flatMap(([name, field]) => {
      const child = getOwn(map, name);
      return child === undefined
        ? []
        : atomicPaths(child as JsonValue, field.type, path + printElement(fieldElement(name)));
    });
    return atomic ? [path, ...below] : below;
  }
  if (form !== 'list' || list === undefined || type.list === undefined) return [];
  const { atomic, element } = type.list;
  const below = list.flatMap((item, i) => atomicPaths(item, element, `${path}[${i}]`));
  return atomic ? [path, ...below] : below;
}
