export type { SchemaNode, ValueValidations } from './node.ts';
export type { ObjectSchema } from './object-schema.ts';
export { type StructuralSchema, compileStructural } from './structural.ts';
export { structuralNode } from './structural-node.ts';
export { type ApplyRequest, applyPatch } from './apply.ts';
export {
  type AsyncVersionConverter,
  type VersionConverter,
  withAsyncConversion,
} from './apply-conversion.ts';
export type { TrackingOptions } from './apply-object.ts';
export { FieldSet } from './field-set.ts';
export { coerceMetaLoosely, coerceObjectMeta, objectMetaError } from './object-meta.ts';
export { sortedJson } from './sorted-json.ts';
export { keepManagedFieldsTimes, managedFieldsMistake } from './managed-fields-times.ts';
export { parentManagedFields, type ReplicasPaths, scaleManagedFields } from './managed-fields-scale.ts';
export { type UpdateTracking, trackUpdate } from './managed-fields-update.ts';
export { applyStrategicMergePatch } from './strategic-merge.ts';
export { type OpenApiComponents, openApiNode } from './openapi-node.ts';
export { type BuiltinSchema, compileBuiltin } from './builtin.ts';
export { type StructuralRules, checkStructural, hasUnprunedDefaults } from './check-structural.ts';
export type { RuleFindings } from './rules/rule-evaluation.ts';
export { type ValidationRule, rulesOf } from './rules/validation-rule.ts';
export { type SchemaPath, followSchemaPath } from './rules/schema-path.ts';
export { type CompiledRule, compileRules } from './rules/compiled-rule.ts';
export { propertyType } from './rules/rule-tree.ts';
