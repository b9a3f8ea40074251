import type { JsonObject, JsonValue } from '@annex/machinery';
import type { ValidationRule } from './rules/validation-rule.ts';

/**
 * A node of a schema; all algorithms of this library use it. CRD schemas and the recorded schemas of built-in kinds are
 * converted to it. Nodes of built-in kinds can be cyclic. Do not change a node after it is built.
 */
export interface SchemaNode {
  /** `undefined` allows any type. */
  type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  format?: string;
  description?: string;
  nullable?: boolean;
  default?: JsonValue;
  properties?: Map<string, SchemaNode>;
  /** The schema of undeclared properties; `true` allows any value. */
  additionalProperties?: SchemaNode | true;
  items?: SchemaNode;
  required?: readonly string[];

  preserveUnknownFields?: boolean;
  embeddedResource?: boolean;
  intOrString?: boolean;
  /** Default `atomic`. */
  listType?: 'atomic' | 'set' | 'map';
  listMapKeys?: readonly string[];
  /** Default `granular`. */
  mapType?: 'atomic' | 'granular';

  /** Strategic merge patch, built-in kinds only: a comma-separated list such as `merge,retainKeys`. */
  patchStrategy?: string;
  patchMergeKey?: string;

  /**
   * The Go type that kube-apiserver decodes the value into, such as `v1.PodSpec`; for built-in kinds only. Error messages
   * contain it.
   */
  goType?: string;
  /** Values of any type; objects, also in a list, are decoded as this node. kube-apiserver ignores their unknown fields. */
  decodesAs?: SchemaNode;

  /** `x-kubernetes-validations`, if present. */
  rules?: readonly ValidationRule[];
  /** Value validations (`enum`, `pattern`, `minimum`, …) and junctors, as in the schema document. */
  validations?: ValueValidations;
}

/** The value validations of a node, with the names of the schema document. */
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
  /** `additionalProperties: false`, which pruning treats as `true` and validation rejects. */
  additionalPropertiesForbidden?: boolean;
  allOf?: readonly JsonObject[];
  anyOf?: readonly JsonObject[];
  oneOf?: readonly JsonObject[];
  not?: JsonObject;
}
