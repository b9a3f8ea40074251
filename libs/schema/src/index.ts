export type { SchemaNode, ValueValidations } from './node.ts';
export { decodeErrorOf, type Decoding, type ObjectSchema, pruneFields } from './object-schema.ts';
export {
  type DefinedSchema,
  type KindChecks,
  type StructuralOptions,
  type StructuralSchema,
  compileStructural,
  compileStructuralInPasses,
} from './structural/structural.ts';
export { isLargeSchema } from './schema-size.ts';
export { structuralNode, structuralNodeInPasses } from './structural/structural-node.ts';
export { type ApplyRequest, applyPatch, applyPatchInPasses } from './apply/apply.ts';
export { mergeConfiguration } from './apply/apply-configuration.ts';
export { type NativeJson, NativeValue } from './apply/native-value.ts';
export {
  type AsyncVersionConverter,
  type VersionConverter,
  withConversion,
} from './apply/apply-conversion.ts';
export { type TrackingOptions, zeroStruct } from './apply/apply-object.ts';
export { FieldSet } from './managed-fields/field-set.ts';
export { coerceMetaLoosely, coerceObjectMeta, objectMetaError } from './object-meta.ts';
export { isSortedJsonInPasses, sortedJson, sortedJsonInPasses } from './sorted-json.ts';
export { copyObject, isSortedObject, sortedObject } from './managed-fields/shared-fields.ts';
export { keepManagedFieldsTimes, managedFieldsError } from './managed-fields/managed-fields-times.ts';
export {
  parentManagedFields,
  type ReplicasPaths,
  scaleManagedFields,
} from './managed-fields/managed-fields-scale.ts';
export {
  trackUpdate,
  trackUpdateInPasses,
  type UpdateTracking,
} from './managed-fields/managed-fields-update.ts';
export { applyStrategicMergePatchInPasses } from './strategic-merge/strategic-merge.ts';
export { patchAfterMerge } from './strategic-merge/patch-after-merge.ts';
export { type OpenApiComponents, openApiNode } from './openapi-node.ts';
export { compileGoDecoder, type GoDecoder } from './go-decoding/go-decoding.ts';
export { type BuiltinSchema, compileBuiltin } from './builtin/builtin.ts';
export {
  type StructuralRules,
  checkStructural,
  structuralErrors,
  hasUnprunedDefaults,
  isStructural,
  structuralViolations,
} from './structural/check-structural.ts';
export { structuralSchemaError } from './structural/structural-form.ts';
export type { RuleEvaluation } from './rules/rule-evaluation.ts';
export { followSchemaPath } from './rules/schema-path.ts';
export { type CompiledRule, compileRules } from './rules/compiled-rule.ts';
export { ruleErrors } from './rules/rule-errors.ts';
export { propertyType } from './rules/rule-tree.ts';
export { timeError } from './go-decoding/go-text.ts';
