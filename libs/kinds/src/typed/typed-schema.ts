import { getOwn, isObject, type JsonObject, type JsonValue, setOwn } from '@annex/machinery';
import {
  compileBuiltin,
  compileStructural,
  openApiNode,
  type DefinedSchema,
  zeroStruct,
} from '@annex/schema';
import { dropZeros } from '../builtin/zeros.ts';
import { orderedConversionError } from '../ordered-conversion.ts';
import { inGoOrder } from '../protobuf/go-order.ts';
import { compileZeroRemoval } from './omitted-zeros.ts';
import { typedComponents } from './typed-components.ts';

const objectMeta = 'k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta';

/** A kind and its structural schema. */
export interface TypedDefinition {
  group: string;
  version: string;
  kind: string;
  schema: JsonObject;
  /** Sets defaults that depend on other fields, after the defaults of the schema. */
  setDefaults?(object: JsonObject): void;
}

/**
 * Compiles a structural schema into that of a Go type, like the kinds of extension API servers in Go: objects
 * are decoded as in Go, zeros are omitted as with `omitempty`, and the result is validated against the
 * schema.
 */
export function compileTyped({ group, version, kind, schema, setDefaults }: TypedDefinition): DefinedSchema {
  const { components, root } = typedComponents(group, version, kind, schema);
  const node = openApiNode(components, root);
  const type = compileBuiltin(node);
  const structural = compileStructural(schema);
  const removeZeros = compileZeroRemoval(schema);
  const dropOmitted = (object: JsonObject) => {
    removeZeros?.(object);
    if (isObject(object.metadata)) dropZeros(object.metadata, objectMeta);
  };
  const empty = zeroStruct(node);
  const { validateRules } = structural;
  return {
    root: node,
    empty,
    fits: (object) => type.fits(object),
    decodeError: (object) => type.decodeError(object),
    conversionError: (object) =>
      orderedConversionError(type, object, (value) => inDeclaredOrder(value, schema)),
    prune: (object) => type.prune(object),
    pruneInPasses: (object) => type.pruneInPasses(object),
    applyDefaults(object) {
      dropOmitted(object);
      type.applyDefaults(object);
      if (setDefaults === undefined) return;
      setDefaults(object);
      dropOmitted(object);
    },
    printed: (object) => inDeclaredOrder(object, schema),
    validate: (object, old) => structural.validate(object, old),
    validateStatus: (object, old) => structural.validateStatus(object, old),
    ...(validateRules ? { validateRules } : {}),
  };
}

/** Returns the object in Go's encoding order: its type, its metadata, its fields as declared. */
function inDeclaredOrder(object: JsonObject, schema: JsonObject): JsonObject {
  const { kind, apiVersion, metadata, ...fields } = object;
  const head = Object.entries({ kind, apiVersion }).filter(([, value]) => value !== undefined);
  const printedMeta = isObject(metadata) ? inGoOrder(metadata, objectMeta) : metadata;
  return {
    ...(Object.fromEntries(head) as JsonObject),
    ...(printedMeta === undefined ? {} : { metadata: printedMeta }),
    ...(inOrder(fields as JsonObject, schema) as JsonObject),
  };
}

function inOrder(value: JsonValue, schema: JsonValue | undefined): JsonValue {
  if (!isObject(schema)) return value;
  if (Array.isArray(value)) return value.map((item) => inOrder(item, schema.items));
  if (!isObject(value)) return value;
  const { properties, additionalProperties } = schema;
  const declared = isObject(properties) ? Object.keys(properties) : Object.keys(value).sort();
  const ordered: JsonObject = {};
  for (const name of new Set([...declared, ...Object.keys(value)])) {
    if (!Object.hasOwn(value, name)) continue;
    const inner = isObject(properties) ? getOwn(properties, name) : additionalProperties;
    setOwn(ordered, name, inOrder(value[name] as JsonValue, inner));
  }
  return ordered;
}
