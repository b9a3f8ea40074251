import { type FieldError, fieldErrors, type FieldPath, type JsonObject } from '@annex/machinery';
import { goFieldsOf, goSchema } from '../crd/go-value.ts';

// The status subresource uses the schema of properties.status, so other root members must not restrict the status.
const allowed = [
  'Description',
  'Type',
  'Format',
  'Title',
  'Maximum',
  'ExclusiveMaximum',
  'Minimum',
  'ExclusiveMinimum',
  'MaxLength',
  'MinLength',
  'Pattern',
  'MaxItems',
  'MinItems',
  'UniqueItems',
  'MultipleOf',
  'Required',
  'Items',
  'Properties',
  'ExternalDocs',
  'Example',
  'XPreserveUnknownFields',
  'XValidations',
];

/** Returns the first error of a schema root that is not allowed with the status subresource. */
export function rootWithStatusErrors(schema: JsonObject, path: FieldPath): FieldError[] {
  for (const field of goFieldsOf(schema)) {
    if (field === 'Type' && schema.type !== 'object') {
      const detail =
        'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
      return [fieldErrors.invalid(path.child('type'), schema.type, detail)];
    }
    if (!allowed.includes(field)) {
      const detail = `only [${allowed.join(' ')}] fields are allowed at the root of the schema if the status subresource is enabled`;
      return [fieldErrors.invalid(path, goSchema(schema), detail)];
    }
  }
  return [];
}
