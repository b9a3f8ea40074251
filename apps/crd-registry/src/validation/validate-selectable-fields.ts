import { type FieldError, fieldErrors, type FieldPath, type JsonObject } from '@annex/machinery';
import { followSchemaPath, structuralNode } from '@annex/schema';

const { duplicate, invalid, required, tooMany } = fieldErrors;

export const maxSelectableFields = 8;

/** Validates `selectableFields` of a version against its schema. */
export function validateSelectableFields(
  fields: readonly { jsonPath: string }[],
  schema: JsonObject,
  path: FieldPath,
  anyNumber: boolean,
): FieldError[] {
  const node = structuralNode(schema);
  const seen = new Set<string>();
  const errors = fields.flatMap(({ jsonPath }, i) => {
    const at = path.index(i).child('jsonPath');
    if (jsonPath === '') return [required(at)];
    const found = followSchemaPath(jsonPath, node, false);
    if (typeof found === 'string') return [invalid(at, jsonPath, `is an invalid path: ${found}`)];
    const errors: FieldError[] = [];
    if (found.names[0] === 'metadata')
      errors.push(invalid(at, jsonPath, 'must not point to fields in metadata'));
    if (!['string', 'boolean', 'integer'].includes(String(found.node?.type))) {
      errors.push(
        invalid(
          at,
          jsonPath,
          'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
        ),
      );
    }
    if (seen.has(found.printed)) errors.push(duplicate(at, jsonPath));
    seen.add(found.printed);
    return errors;
  });
  if (seen.size > maxSelectableFields && !anyNumber)
    errors.push(tooMany(path, seen.size, maxSelectableFields));
  return errors;
}
