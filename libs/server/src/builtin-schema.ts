import type { GroupVersionKind } from '@annex/machinery';
import type { ObjectSchema } from '@annex/schema';
import { compileDefaults, type Default, type TypeDefaults } from './builtin-defaults.ts';
import { componentOf, recordedComponents } from './builtin-data.ts';

/** The schema of a kind that the OpenAPI document of a group version declares; of any object where it declares none. */
export function builtinSchema(group: string, version: string, gvk: GroupVersionKind): ObjectSchema {
  const components = recordedComponents(group, version);
  componentOf(components, gvk);
  return { root: { type: 'object' }, prune: () => [], applyDefaults: () => undefined, validate: () => [] };
}

/** The walk that sets the defaults of a table in objects of a kind. */
export function builtinDefaults(gvk: GroupVersionKind, defaults: TypeDefaults): Default {
  const components = recordedComponents(gvk.group, gvk.version);
  const name = componentOf(components, gvk);
  return name === undefined ? () => undefined : compileDefaults(components, name, defaults);
}
