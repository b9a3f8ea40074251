import { deepCopy, fieldErrorText, isObject, type JsonObject, type JsonValue } from '@annex/machinery';
import { samples, schemaCases } from '@annex/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileStructural, type StructuralSchema } from './structural.ts';

/** Asserts a law for random schemas, each with a mostly valid object; skips objects that cannot be decoded. */
function always(law: (compiled: StructuralSchema, object: JsonObject, schema: JsonObject) => void): void {
  fc.assert(
    fc.property(schemaCases(), ({ schema, loose }) => {
      const compiled = compileStructural(schema);
      const object = deepCopy(loose);
      if (compiled.decodeError(object) === undefined) law(compiled, object, schema);
    }),
    { numRuns: samples(150) },
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

/** Returns the types and paths of errors; messages can contain pruned values. */
const errorPaths = (compiled: StructuralSchema, object: JsonObject): string[] =>
  compiled
    .validate(object)
    .map(({ type, field }) => `${type} ${field}`)
    .sort();

/** Adds a field to each object in a value. */
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

  it('pruning does not affect validity', () => {
    always((compiled, object) => {
      const sent = withMore(pruned(compiled, object)) as JsonObject;
      if (compiled.decodeError(sent) !== undefined) return;
      expect(errorPaths(compiled, sent)).toEqual(errorPaths(compiled, pruned(compiled, sent)));
    });
  });

  it('RAT-002 unchanged values are not validated if all of them correspond', () => {
    always((compiled, object, schema) => {
      if (/x-kubernetes-(preserve|embedded|list-map)/.test(JSON.stringify(schema))) return;
      const stored = pruned(compiled, object);
      expect(compiled.validate(stored, deepCopy(stored))).toEqual([]);
    });
  });

  it('a fitting value is valid, also with its defaults', () => {
    fc.assert(
      fc.property(schemaCases(), ({ schema, fitting }) => {
        const compiled = compileStructural(schema);
        expect(compiled.validate(defaulted(compiled, fitting)).map(fieldErrorText)).toEqual([]);
      }),
      { numRuns: samples(150) },
    );
  });
});
