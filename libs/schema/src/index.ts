export type { SchemaNode, ValueValidations } from './node.ts';
export type { ObjectSchema } from './object-schema.ts';
