import { FieldPath, fieldErrorText, type JsonObject, validateDns1035Label } from '@annex/machinery';
import { checkStructural, ruleErrors } from '@annex/schema';
import type { Resource, ResourceDefinition } from './resource-definition.ts';
import type { InputOf, ObjectOf, Schema } from './schema-type.ts';

/**
 * Defines one version of a resource. The functions receive objects of the schema's type. Throws an Error that
 * lists all errors: of a schema that is not structural, or of rules that do not compile.
 */
export function defineResource<const S extends Schema>(
  definition: ResourceDefinition<ObjectOf<S>> & { schema: S },
): Resource<ObjectOf<S>, InputOf<S>> {
  const { kind, plural = `${kind.toLowerCase()}s`, typed = true, version } = definition;
  const errors = [
    ...validateDns1035Label(version).map((why) => `version: ${why}`),
    ...nameErrors(definition, plural),
    ...schemaErrors(definition.schema as JsonObject),
    ...statusErrors(definition),
    ...(definition.setDefaults && definition.typed === false ? ['setDefaults: the kind is not typed'] : []),
    ...Object.keys(definition.subresources ?? {}).flatMap(subresourceErrors),
  ];
  if (errors.length > 0) throw new Error(`${kind} ${version}:\n${errors.join('\n')}`);
  return { ...definition, plural, typed } as unknown as Resource<ObjectOf<S>, InputOf<S>>;
}

/** Validates the names like those of a CustomResourceDefinition. */
function nameErrors({ kind, singular, shortNames = [], categories = [] }: Names, plural: string): string[] {
  const labels: [string, string][] = [
    ['kind', kind.toLowerCase()],
    ['plural', plural],
    ...(singular === undefined ? [] : [['singular', singular] as [string, string]]),
    ...shortNames.map((name): [string, string] => ['shortNames', name]),
    ...categories.map((name): [string, string] => ['categories', name]),
  ];
  return labels.flatMap(([field, name]) =>
    validateDns1035Label(name).map((why) => `${field} ${JSON.stringify(name)}: ${why}`),
  );
}

type Names = Pick<ResourceDefinition, 'kind' | 'singular' | 'shortNames' | 'categories'>;

/** A status that the schema does not contain would be pruned. */
const statusErrors = ({ status = false, schema }: Pick<ResourceDefinition, 'status' | 'schema'>): string[] =>
  status && schema.properties?.status === undefined ? ['status: the schema has no property status'] : [];

/** Subresources with a fixed meaning have separate options. */
function subresourceErrors(name: string): string[] {
  if (name === 'status' || name === 'scale') return [`subresources: ${name} has a separate option`];
  return validateDns1035Label(name).map((why) => `subresources.${name}: ${why}`);
}

function schemaErrors(schema: JsonObject): string[] {
  const errors = checkStructural(schema, FieldPath.of('schema')).map(fieldErrorText);
  // Rules are only compiled for a valid schema.
  return errors.length > 0 ? errors : ruleErrors(schema, 'schema');
}
