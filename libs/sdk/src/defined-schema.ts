import type { JsonObject, KubeObject } from '@annex/machinery';
import { compileStructural, type DefinedSchema } from '@annex/schema';
import { compileTyped, type TypedDefinition } from '@annex/kinds';
import type { Definition } from './resource-storage.ts';

/** Compiles the schema of a kind, with the behavior of Go types or of custom resources. */
export const compileDefined = (of: TypedDefinition, typed = false): DefinedSchema =>
  typed ? compileTyped(of) : compileStructural(of.schema);

/** Compiles the schema of a definition. */
export function schemaOf(
  group: string,
  { version, kind, schema, typed, setDefaults }: Definition,
): DefinedSchema {
  const of = { group, version, kind, schema: schema as JsonObject };
  if (setDefaults === undefined) return compileDefined(of, typed);
  const set = (object: JsonObject) => setDefaults(object as unknown as KubeObject);
  return compileDefined({ ...of, setDefaults: set }, typed);
}
