import { deepCopy, fieldErrorText, isObject, type JsonObject, type JsonValue } from '@annex/machinery';
import { schemaCases } from '@annex/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileStructural, type StructuralSchema } from './structural.ts';

/** Holds for random schemas, each with an object that is allowed in most places; objects that cannot be decoded are left out. */
function always(law: (compiled: StructuralSchema, object: JsonObject, schema: JsonObject) => void): void {
  fc.assert(
    fc.property(schemaCases(), ({ schema, loose }) => {
      const compiled = compileStructural(schema);
      const object = deepCopy(loose);
      if (compiled.decodeError(object) === undefined) law(compiled, object, schema);
    }),
    { numRuns: 150 },
  );
}

const pruned = (compiled: StructuralSchema, object: JsonObject): JsonObject => {
  const copy = deepCopy(object);
  compiled.prune(copy);
  return copy;
};
const defaulted = (compiled: StructuralSchema, object: JsonObject): JsonObject => {
  const copy = deepCopy(object);
  compiled.applyDefaults(copy);
  return copy;
};

/** What is wrong where; texts may quote what is pruned. */
const errorPaths = (compiled: StructuralSchema, object: JsonObject): string[] =>
  compiled
    .validate(object)
    .map(({ type, field }) => `${type} ${field}`)
    .sort();

/** The value with a field more in each of its objects. */
function withMore(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withMore);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([name, field]) => [name, withMore(field)]);
  return { ...(Object.fromEntries(entries) as JsonObject), more: 1 };
}

describe('the laws of values', () => {
  it('pruning a second time changes nothing', () => {
    always((compiled, object) => {
      const once = pruned(compiled, object);
      const twice = deepCopy(once);
      expect(compiled.prune(twice)).toEqual([]);
      expect(twice).toEqual(once);
    });
  });

  it('setting defaults a second time changes nothing', () => {
    always((compiled, object) => {
      const once = defaulted(compiled, pruned(compiled, object));
      expect(defaulted(compiled, once)).toEqual(once);
    });
  });

  it('pruning keeps defaults', () => {
    always((compiled, object) => {
      const whole = defaulted(compiled, pruned(compiled, object));
      expect(pruned(compiled, whole)).toEqual(whole);
    });
  });

  it('what is pruned is as valid as what was sent', () => {
    always((compiled, object) => {
      const sent = withMore(pruned(compiled, object)) as JsonObject;
      if (compiled.decodeError(sent) !== undefined) return;
      expect(errorPaths(compiled, sent)).toEqual(errorPaths(compiled, pruned(compiled, sent)));
    });
  });

  it('RAT-002 what did not change is not held against its schema, where all of it corresponds', () => {
    always((compiled, object, schema) => {
      if (/x-kubernetes-(preserve|embedded|list-map)/.test(JSON.stringify(schema))) return;
      const stored = pruned(compiled, object);
      expect(compiled.validate(stored, deepCopy(stored))).toEqual([]);
    });
  });

  it('what fits is valid, and stays so with its defaults', () => {
    fc.assert(
      fc.property(schemaCases(), ({ schema, fitting }) => {
        const compiled = compileStructural(schema);
        expect(compiled.validate(defaulted(compiled, fitting)).map(fieldErrorText)).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });
});
