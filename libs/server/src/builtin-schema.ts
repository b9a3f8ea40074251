import type { GroupVersionKind } from '@annex/machinery';
import type { ObjectSchema } from '@annex/schema';
import { componentOf, recordedComponents } from './builtin-data.ts';
import { compileDefaults, type TypeDefaults } from './builtin-defaults.ts';

/**
 * The schema of a kind that the OpenAPI document of a group version declares; of any object where it declares none.
 * `defaults` are set after those of the document.
 */
export function builtinSchema(
  group: string,
  version: string,
  gvk: GroupVersionKind,
  defaults?: TypeDefaults,
): ObjectSchema {
  const components = recordedComponents(group, version);
  const name = componentOf(components, gvk);
  const schema: ObjectSchema = {
    root: { type: 'object' },
    prune: () => [],
    applyDefaults: () => undefined,
    validate: () => [],
  };
  if (defaults === undefined || name === undefined) return schema;
  const setDefaults = compileDefaults(components, name, defaults);
  return {
    root: schema.root,
    prune: (object) => schema.prune(object),
    applyDefaults(object) {
      schema.applyDefaults(object);
      setDefaults(object);
    },
    validate: (object, old) => schema.validate(object, old),
  };
}
