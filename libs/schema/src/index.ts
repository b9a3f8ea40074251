export type { SchemaNode, ValueValidations } from './node.ts';
export type { ObjectSchema } from './object-schema.ts';
export { type StructuralSchema, compileStructural } from './structural.ts';
export { structuralNode } from './structural-node.ts';
