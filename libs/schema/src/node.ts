import type { JsonObject, JsonValue } from '@annex/machinery';
import type { ValidationRule } from './rules/validation-rule.ts';

/**
 * One node of a schema, the shape that every algorithm of this library walks: CRD schemas and the recorded schemas of
 * built-in kinds both become this. Nodes of built-in kinds may be cyclic. Frozen by convention once built.
 */
export interface SchemaNode {
  /** `undefined` allows any type. */
  type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  format?: string;
  description?: string;
  nullable?: boolean;
  default?: JsonValue;
  properties?: Map<string, SchemaNode>;
  /** The schema of values under undeclared keys; `true` allows any. */
  additionalProperties?: SchemaNode | true;
  items?: SchemaNode;
  required?: readonly string[];

  preserveUnknownFields?: boolean;
  embeddedResource?: boolean;
  intOrString?: boolean;
  /** `atomic` where not said. */
  listType?: 'atomic' | 'set' | 'map';
  listMapKeys?: readonly string[];
  /** `granular` where not said. */
  mapType?: 'atomic' | 'granular';

  /** Strategic merge patch, built-in kinds only: a comma-separated list such as `merge,retainKeys`. */
  patchStrategy?: string;
  patchMergeKey?: string;

  /** The Go type that kube decodes the value into, `v1.PodSpec`; built-in kinds only. It is named in errors. */
  goType?: string;
  /** Values of any type, whose objects, perhaps in a list, are this; decoded by kube without a word about unknown fields. */
  decodesAs?: SchemaNode;

  /** `x-kubernetes-validations`, where there are any. */
  rules?: readonly ValidationRule[];
  /** Value validations: `enum`, `pattern`, `minimum`, … and the junctors, as they stand in the schema document. */
  validations?: ValueValidations;
}

export interface ValueValidations {
  enum?: readonly JsonValue[];
  maximum?: number;
  exclusiveMaximum?: boolean;
  minimum?: number;
  exclusiveMinimum?: boolean;
  multipleOf?: number;
  maxLength?: number;
  minLength?: number;
  pattern?: string;
  maxItems?: number;
  minItems?: number;
  uniqueItems?: boolean;
  maxProperties?: number;
  minProperties?: number;
  /** `additionalProperties: false`, which pruning treats as `true` and validation refuses. */
  additionalPropertiesForbidden?: boolean;
  allOf?: readonly JsonObject[];
  anyOf?: readonly JsonObject[];
  oneOf?: readonly JsonObject[];
  not?: JsonObject;
}
