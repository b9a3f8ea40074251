import { compileStructural } from '@annex/schema';
import { Ajv } from 'ajv';

/** JSON as parsed from YAML. */
export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
export type JsonRecord = { [name: string]: Json };

/** Compiles a schema to a function that prunes an object, sets defaults and validates it. */
export interface SchemaEngine {
  readonly name: string;
  compile(schema: JsonRecord): (object: JsonRecord) => boolean;
}

/** Our engine, and the one to compare with. */
export const schemaEngines: readonly SchemaEngine[] = [
  {
    name: '@annex/schema',
    compile(schema) {
      const compiled = compileStructural(schema);
      return (object) => {
        compiled.prune(object);
        compiled.applyDefaults(object);
        return compiled.validate(object).length === 0;
      };
    },
  },
  {
    name: 'ajv',
    compile(schema) {
      const ajv = new Ajv({
        strict: false,
        logger: false,
        useDefaults: true,
        removeAdditional: true,
        unicodeRegExp: false,
      });
      ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/);
      for (const format of ['int32', 'int64']) ajv.addFormat(format, true);
      const root = jsonSchema(schema) as { properties: JsonRecord };
      Object.assign(root.properties, { apiVersion: {}, kind: {}, metadata: {} });
      return ajv.compile<JsonRecord>(root);
    },
  },
];

/** Converts a structural schema to JSON Schema that removes unknown members. */
function jsonSchema(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(jsonSchema);
  if (typeof schema !== 'object' || schema === null) return schema;
  const result: JsonRecord = {};
  for (const [word, value] of Object.entries(schema)) {
    if (word === 'x-kubernetes-int-or-string') result.type = ['integer', 'string'];
    if (word.startsWith('x-')) continue;
    if (word === 'default' || word === 'enum') result[word] = value;
    else if (word === 'properties') result[word] = mapped(value as JsonRecord);
    else result[word] = jsonSchema(value);
  }
  const isClosed = schema.type === 'object' && schema.properties !== undefined;
  if (isClosed && !schema['x-kubernetes-preserve-unknown-fields']) result.additionalProperties = false;
  return result;
}

const mapped = (properties: JsonRecord): JsonRecord =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, jsonSchema(schema)]));
