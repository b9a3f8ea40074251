export type { SchemaNode, ValueValidations } from './node.ts';
export type { ObjectSchema } from './object-schema.ts';
export { type StructuralSchema, compileStructural } from './structural.ts';
export { structuralNode } from './structural-node.ts';
export { type ApplyRequest, applyPatch } from './apply.ts';
export type { TrackingOptions } from './apply-object.ts';
export { FieldSet } from './field-set.ts';
export { type UpdateTracking, trackUpdate } from './managed-fields-update.ts';
