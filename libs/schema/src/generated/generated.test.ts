import { deepCopy, type JsonObject, type JsonValue, parseJson } from '@annex/machinery';
import { expectLinear, samples, schemaCases } from '@annex/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileCheck } from '../check/check-value.ts';
import { Pruner } from '../pruning.ts';
import { RemovedFields } from '../removed-fields.ts';
import { compileNullRemoval } from '../null-removal.ts';
import { structuralNode } from '../structural/structural-node.ts';
import { generateAcceptance } from './acceptance.ts';
import { generateDefaults, maxDefaultsLength } from './defaults.ts';
import { generatePrunedness } from './prunedness.ts';

const propertiesOf = (properties: JsonObject, rest: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  ...rest,
});

describe('generated functions agree with the full checks', () => {
  it('accepts only values that all checks accept, and most of those', () => {
    const accepted = { fitting: 0, all: 0 };
    fc.assert(
      fc.property(schemaCases(), ({ schema, loose, fitting }) => {
        const [accepts, check] = [generateAcceptance(schema), compileCheck(schema, 'resource', true)];
        if (accepts(loose)) expect(check.accepts(loose)).toBe(true);
        accepted.all += 1;
        if (accepts(fitting)) accepted.fitting += 1;
      }),
      { numRuns: samples(300) },
    );
    expect(accepted.fitting / accepted.all).toBeGreaterThan(0.7);
  });

  it('detects objects that pruning does not change', () => {
    fc.assert(
      fc.property(schemaCases(), ({ schema, loose }) => {
        const node = structuralNode(schema);
        const after = deepCopy(loose);
        new Pruner({ ...node, embeddedResource: true }).prune(after, new RemovedFields());
        compileNullRemoval(node)?.remove(after);
        if (generatePrunedness(node)(loose)) expect(after).toEqual(loose);
      }),
      { numRuns: samples(300) },
    );
  });

  const odd = 'a"];throw 1;//\u2028\\';
  const hostile: JsonObject = propertiesOf({
    [odd]: { type: 'string', enum: [odd], default: odd },
    ['__proto__']: { type: 'object', default: parseJson('{"__proto__": {"polluted": 1}}') },
    constructor: { type: 'integer', default: 9007199254740993n as never },
    toString: { type: 'string' },
  });
  const schemaOf = (text: string) => parseJson(text) as JsonObject;

  it('never executes names and strings of a schema', () => {
    const defaults = generateDefaults(structuralNode(hostile))!;
    const object: JsonObject = {};
    defaults(object);
    expect(object[odd]).toBe(odd);
    expect(object.constructor).toBe(9007199254740993n);
    expect(generateAcceptance(hostile)({ [odd]: odd })).toBe(true);
    expect(generateAcceptance(hostile)({ [odd]: 'other' })).toBe(false);
    expect(generatePrunedness(structuralNode(hostile))({ [odd]: odd, toString: 'x' })).toBe(true);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  describe('of a schema with many fields', () => {
    const manyOf = (count: number, field: JsonValue): JsonObject =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, field]));
    const testOf = (count: number) =>
      generatePrunedness(structuralNode(propertiesOf(manyOf(count, { type: 'string' }))));

    it('detect unknown fields and nulls', () => {
      const isPruned = testOf(100);
      expect(isPruned(manyOf(100, 'x'))).toBe(true);
      expect(isPruned(manyOf(101, 'x'))).toBe(false);
      expect(isPruned({ p99: null })).toBe(false);
      expect(isPruned({ toString: 'x' })).toBe(false);
    });

    it('take linear time', () => {
      const make = (count: number) => ({ isPruned: testOf(count), object: manyOf(count, 'x') });
      expectLinear(make, ({ isPruned, object }) => isPruned(object), { start: 512, max: 2048, runs: 1 });
    });
  });

  it('sets defaults up to maxDefaultsLength in each object', () => {
    // 1,000 characters with its quotes and its name.
    const filled = 'x'.repeat(997);
    const values = { type: 'object', properties: { d: { type: 'string', default: filled } } };
    const setDefaults = generateDefaults(
      structuralNode({ type: 'object', additionalProperties: values, 'x-kubernetes-map-type': 'granular' }),
    )!;
    const mapOf = (count: number): JsonObject =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, {}]));
    const most = Math.floor(maxDefaultsLength / 1000);
    for (let object = 0; object < 2; object++) {
      const map = mapOf(most);
      setDefaults(map);
      expect(map[`k${most - 1}`]).toEqual({ d: filled });
    }
    expect(() => setDefaults(mapOf(most + 1))).toThrow('limit is 3145728 characters of defaults');
  });

  it('ignores inherited properties', () => {
    const required = propertiesOf({ toString: { type: 'string' } }, { required: ['toString'] });
    expect(generateAcceptance(required)({})).toBe(false);
    expect(generateAcceptance(required)({ toString: 'x' })).toBe(true);
    const proto = schemaOf(
      '{"type": "object", "properties": {"__proto__": {"type": "string", "default": "d"}}}',
    );
    const object: JsonObject = {};
    generateDefaults(structuralNode(proto))!(object);
    expect(Object.getOwnPropertyDescriptor(object, '__proto__')?.value).toBe('d');
    expect(Object.getPrototypeOf(object)).toBe(Object.prototype);
  });

  it.each<[name: string, schema: JsonObject, accepted: JsonValue[], others: JsonValue[]]>([
    [
      'characters, not code units',
      { type: 'string', minLength: 2, maxLength: 3 },
      ['ab', '😀a'],
      ['a', '😀'],
    ],
    ['a null that may be', { type: 'string', nullable: true }, [null, ''], [1]],
    ['integers within limits', { type: 'integer', minimum: 1, maximum: 9 }, [1, 9], [0, 10, 1.5, '1', null]],
    ['32 bits', { type: 'integer', format: 'int32' }, [2147483647], [2147483648]],
    ['a number with limits', { type: 'number', maximum: 1 }, [0.5], [2]],
    ['junctors', { type: 'integer', anyOf: [{ maximum: 1 }, { minimum: 5 }] }, [0, 6], [3]],
    [
      'lists with limits',
      { type: 'array', items: { type: 'boolean' }, maxItems: 1 },
      [[], [true]],
      [[1], [true, true]],
    ],
    ['maps', { type: 'object', additionalProperties: { type: 'string' } }, [{}, { a: 'b' }], [{ a: 1 }, []]],
    ['an enumeration of objects', { type: 'object', enum: [{ a: 1 }] }, [{ a: 1 }], [{ a: 2 }, {}]],
    ['integers or strings', { 'x-kubernetes-int-or-string': true }, [1, '1'], [1.5, true]],
  ])('accepts %s', (_name, schema, accepted, others) => {
    const accepts = generateAcceptance(schema);
    expect(accepted.map(accepts)).toEqual(accepted.map(() => true));
    expect(others.map(accepts)).toEqual(others.map(() => false));
  });
});
