import type { GroupVersionKind, JsonObject } from '@annex/machinery';
import { compileBuiltin, type ObjectSchema, openApiNode } from '@annex/schema';
import { componentOf, lazily, type RecordedComponents, recordedComponents } from './data.ts';
import { compileDefaults, type TypeDefaults } from './defaults.ts';
import { inGoOrder } from '../protobuf/go-order.ts';
import { dropZeros, messageOfComponent, withoutOmittedDefaults } from './zeros.ts';

/** The schema of kinds that no document declares: whatever is sent stays. */
const anything: ObjectSchema = {
  root: { preserveUnknownFields: true },
  prune: () => [],
  applyDefaults: () => undefined,
  validate: () => [],
};

/**
 * The schema of a kind that the OpenAPI document of a group version declares; of any object where it declares none.
 * `defaults` are set after those of the document.
 */
export function builtinSchema(
  group: string,
  version: string,
  gvk: GroupVersionKind,
  defaults: TypeDefaults = {},
): ObjectSchema {
  const components = withoutOmittedDefaults(recordedComponents(group, version));
  const name = componentOf(components, gvk);
  return name === undefined ? anything : schemaOf(components, name, defaults);
}

/** The schema of a type that is declared beside the kinds of a group version. Compiled at the first call. */
export const componentSchema = (group: string, version: string, name: string): (() => ObjectSchema) =>
  lazily(() => schemaOf(recordedComponents(group, version), name, {}));

function schemaOf(components: RecordedComponents, name: string, defaults: TypeDefaults): ObjectSchema {
  const schema = compileBuiltin(openApiNode(components, name));
  const message = messageOfComponent(name);
  const setDefaults = lazily(() => compileDefaults(components, name, defaults));
  return {
    root: schema.root,
    fits: (object) => schema.fits(object),
    decodeError: (object) => schema.decodeError(object),
    conversionError: (object) => schema.conversionError(object),
    prune: (object) => schema.prune(object),
    applyDefaults(object: JsonObject) {
      dropZeros(object, message);
      schema.applyDefaults(object);
      setDefaults()(object);
      // Structs that defaults have made have lists of their own.
      dropZeros(object, message);
    },
    printed: (object) => inGoOrder(object, message),
    validate: (object, old) => schema.validate(object, old),
  };
}
