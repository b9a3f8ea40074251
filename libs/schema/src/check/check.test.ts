import { finish, type JsonObject, type JsonValue, printFloat } from '@annex/machinery';
import { samples } from '@annex/testkit';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Outcome } from './check.ts';
import { reported } from './check-junctors.ts';
import { compileCheck } from './check-value.ts';
import { toInt64 } from '../go-decoding/go-number.ts';

const names = fc.constantFrom('a', 'b', 'c');
const scalar = fc.constantFrom<JsonValue>(null, true, 0, 1, 2.5, 7, -3, 'a', 'abc', '2024-01-01', 2n ** 62n);
const value = fc.letrec<{ any: JsonValue }>((tie) => ({
  any: fc.oneof(
    { depthSize: 'small' },
    scalar,
    fc.array(tie('any'), { maxLength: 3 }),
    fc.dictionary(names, tie('any'), { maxKeys: 3 }) as fc.Arbitrary<JsonValue>,
  ),
})).any;

const schema = fc.letrec<{ any: JsonObject }>((tie) => ({
  any: fc.oneof(
    { depthSize: 'small' },
    fc.record<JsonObject>(
      {
        type: fc.constantFrom('object', 'array', 'string', 'integer', 'number', 'boolean'),
        format: fc.constantFrom('date', 'int32', 'nope'),
        nullable: fc.boolean(),
        maximum: fc.constantFrom(1, 2.5),
        multipleOf: fc.constantFrom(2, 0.5),
        maxLength: fc.constantFrom(0, 2),
        pattern: fc.constantFrom('^a', '('),
        minItems: fc.constantFrom(0, 2),
        maxProperties: fc.constantFrom(0, 2),
        enum: fc.array(scalar, { maxLength: 2 }) as fc.Arbitrary<JsonValue>,
        required: fc.array(names, { maxLength: 2 }) as fc.Arbitrary<JsonValue>,
        'x-kubernetes-int-or-string': fc.boolean(),
      },
      { requiredKeys: [] },
    ),
    fc.record<JsonObject>({ type: fc.constant('array'), items: tie('any') }),
    fc.record<JsonObject>({
      type: fc.constant('object'),
      properties: fc.dictionary(names, tie('any')) as fc.Arbitrary<JsonValue>,
    }),
    fc.record<JsonObject>({
      additionalProperties: fc.oneof(tie('any'), fc.boolean()) as fc.Arbitrary<JsonValue>,
    }),
    fc.record<JsonObject>(
      { anyOf: fc.array(tie('any'), { maxLength: 2 }) as fc.Arbitrary<JsonValue>, not: tie('any') },
      { requiredKeys: [] },
    ),
    fc.record<JsonObject>(
      {
        allOf: fc.array(tie('any'), { maxLength: 2 }) as fc.Arbitrary<JsonValue>,
        oneOf: fc.array(tie('any'), { maxLength: 2 }) as fc.Arbitrary<JsonValue>,
      },
      { requiredKeys: [] },
    ),
  ),
})).any;

describe('a check', () => {
  it('accepts the values of which it reports no failure', () => {
    fc.assert(
      fc.property(
        schema,
        value,
        fc.constantFrom('resource' as const, 'default' as const),
        (document, value, reading) => {
          const check = compileCheck(document, reading);
          const accepted = check.accepts(value);
          const outcome = new Outcome();
          expect(finish(reported(check, value, '', outcome))).toBe(accepted);
          expect(finish(outcome.errors()).length === 0).toBe(accepted);
        },
      ),
      { numRuns: samples(2000) },
    );
  });
});

describe('an outcome', () => {
  it('records each message once, and truncates', () => {
    const outcome = new Outcome();
    outcome.failWhole('one');
    outcome.failWhole('one');
    const size = outcome.size;
    outcome.failWhole('two');
    outcome.truncate(size);
    outcome.failWhole('two');
    expect(finish(outcome.errors('at')).map((error) => [error.field, error.detail])).toEqual([
      ['at', 'one'],
      ['at', 'two'],
    ]);
  });
});

describe('numbers as Go has them', () => {
  it.each([
    [0.5, '0.5'],
    [123456, '123456'],
    [1000000, '1e+06'],
    [1234567.5, '1.2345675e+06'],
    [1e20, '1e+20'],
    [0.0001, '0.0001'],
    [0.00001, '1e-05'],
    [-3e7, '-3e+07'],
  ])('prints %d as %s', (number, text) => {
    expect(printFloat(number)).toBe(text);
  });

  it.each([
    [2.9, 2],
    [-2.9, -2],
    [2 ** 60, 2n ** 60n],
    [1e20, -(2n ** 63n)],
  ])('cuts %d to %s', (number, integer) => {
    expect(toInt64(number)).toBe(integer);
  });
});
