import { isObject, type JsonObject, type JsonValue } from '@annex/machinery';

/**
 * Schemas of a CRD with more parts than this are compiled in passes, and to closures instead of generated functions: V8 compiles
 * 100 KB of source in several milliseconds, and a whole function at once.
 */
export const generatedParts = 3000;

const junctors = ['allOf', 'anyOf', 'oneOf'] as const;

/** Returns whether a schema document has more than {@link generatedParts} parts. */
export function isLargeSchema(schema: JsonObject): boolean {
  let left = generatedParts;
  const visit = (part: JsonValue | undefined): boolean => {
    if (!isObject(part)) return false;
    const { properties, items, additionalProperties, required } = part;
    // The generated test has a statement for each name.
    left -= 1 + (Array.isArray(required) ? required.length : 0);
    if (left < 0) return true;
    if (isObject(properties)) {
      for (const name of Object.keys(properties)) if (visit(properties[name])) return true;
    }
    for (const junctor of junctors) {
      const branches = part[junctor];
      if (Array.isArray(branches) && branches.some(visit)) return true;
    }
    return visit(items) || visit(additionalProperties) || visit(part.not);
  };
  return visit(schema);
}
