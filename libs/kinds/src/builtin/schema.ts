import {
  DividedVisit,
  finish,
  type GroupVersionKind,
  type JsonObject,
  lazily,
  type Passes,
} from '@annex/machinery';
import { compileBuiltin, type ObjectSchema, openApiNode } from '@annex/schema';
import { orderedConversionError } from '../ordered-conversion.ts';
import { componentOf, type RecordedComponents, recordedComponents } from './data.ts';
import { compileDefaults, type TypeDefaults } from './defaults.ts';
import { emptyMessage } from './empty-object.ts';
import { inGoOrder } from '../protobuf/go-order.ts';
import { dropZeros, messageOfComponent, withEmptyLists, withoutOmittedDefaults } from './zeros.ts';

/** The schema of kinds without a declaration: all fields are preserved. */
const anything: ObjectSchema = {
  root: { preserveUnknownFields: true },
  prune: () => [],
  applyDefaults: () => undefined,
  validate: () => [],
};

/**
 * Returns the schema of a kind by the OpenAPI document of a group-version; a schema of any object if it
 * declares none. `defaults` are set after those of the document.
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

/** Returns the schema of a type of a group-version that is not a kind. Compiled at the first call. */
export const componentSchema = (group: string, version: string, name: string): (() => ObjectSchema) =>
  lazily(() => schemaOf(recordedComponents(group, version), name, {}));

function schemaOf(components: RecordedComponents, name: string, defaults: TypeDefaults): ObjectSchema {
  const schema = compileBuiltin(openApiNode(components, name));
  const message = messageOfComponent(name);
  const setDefaults = lazily(() => compileDefaults(components, name, defaults));
  const sentEmptyLists = new WeakSet<JsonObject>();
  function* defaultsInPasses(object: JsonObject): Passes<void> {
    const visits = new DividedVisit();
    const lists = dropZeros(object, message, visits);
    if (!visits.isDone) yield* visits.rest();
    if (lists.areNull) sentEmptyLists.add(object);
    yield;
    schema.applyDefaults(object, visits);
    if (!visits.isDone) yield* visits.rest();
    yield;
    const passes = setDefaults()(object, visits);
    if (passes !== undefined) yield* passes;
    if (!visits.isDone) yield* visits.rest();
    yield;
    // Structs that defaults create have lists too.
    dropZeros(object, message, visits);
    if (!visits.isDone) yield* visits.rest();
  }
  const empty = lazily(() => emptyMessage(message));
  return {
    root: schema.root,
    get empty() {
      return empty();
    },
    fits: (object) => schema.fits(object),
    decodeError: (object) => schema.decodeError(object),
    decodeErrorInPasses: (object) => schema.decodeErrorInPasses?.(object),
    conversionError: (object) => orderedConversionError(schema, object, (value) => inGoOrder(value, message)),
    prune: (object) => schema.prune(object),
    pruneInPasses: (object) => schema.pruneInPasses(object),
    applyDefaults: (object) => finish(defaultsInPasses(object)),
    defaultsInPasses,
    owned: (object) => (sentEmptyLists.has(object) ? withEmptyLists(object, message) : object),
    printed: (object) => inGoOrder(object, message),
    validate: (object, old) => schema.validate(object, old),
  };
}
