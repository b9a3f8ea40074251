import { maxJsonPathValues } from '@annex/machinery';
import { describe, expect, it } from 'vitest';
import { versionOf } from '../crd.fixture.ts';
import { columnsOf } from './columns.ts';

const now = Date.UTC(2026, 0, 1, 0, 1, 0);
const object = {
  metadata: { name: 'a', creationTimestamp: '2026-01-01T00:00:00Z' },
  s: 'text',
  i: 3,
  f: 3.7,
  big: 1234567.5,
  huge: 9007199254740993n,
  vast: 1e21,
  b: true,
  nothing: null,
  list: [1, 2],
  map: { b: '<x>', a: 1 },
  past: '2025-12-31T23:58:00Z',
  future: '2026-01-02T00:00:00Z',
};

function cell(type: string, jsonPath: string): unknown {
  const [, column] = columnsOf(versionOf({ additionalPrinterColumns: [{ name: 'C', type, jsonPath }] }));
  return column?.cell(object, now);
}

describe('cells of printer columns', () => {
  it.each<[string, string, string, unknown]>([
    ['PRN-008 an integer', 'integer', '.i', 3],
    ['an integer column truncates fractions', 'integer', '.f', 3],
    ['an integer beyond 2^53 stays exact', 'integer', '.huge', 9007199254740993n],
    ['an integer column of a float beyond int64', 'integer', '.vast', -9223372036854775808n],
    ['PRN-014 a string is no integer', 'integer', '.s', null],
    ['PRN-009 a number', 'number', '.f', 3.7],
    ['PRN-011 a boolean', 'boolean', '.b', true],
    ['a string is not a boolean', 'boolean', '.s', null],
    ['PRN-010 a string', 'string', '.s', 'text'],
    ['a number as text', 'string', '.big', '1.2345675e+06'],
    ['null as text', 'string', '.nothing', '<no value>'],
    ['null in any other column', 'integer', '.nothing', null],
    ['an object as JSON with sorted keys', 'string', '.map', '{"a":1,"b":"\\u003cx\\u003e"}'],
    ['the first of several matches', 'integer', '.list[*]', 1],
    ['nothing at a missing path', 'string', '.none.x', null],
    ['nothing at a path that does not match', 'string', '.s[0]', null],
    ['PRN-012 a date as the time since', 'date', '.past', '3m'],
    ['a date in the future', 'date', '.future', '<invalid>'],
    ['an invalid date', 'date', '.s', '<invalid>'],
  ])('%s', (_name, type, path, expected) => expect(cell(type, path)).toEqual(expected));
});

it('cells of a row share the number of values that their paths may visit; the next row has its own', () => {
  const large = { ...object, values: Array.from({ length: maxJsonPathValues / 2 }, () => 1) };
  const declared = Array.from({ length: 4 }, (_, i) => ({
    name: `C${i}`,
    type: 'integer',
    jsonPath: '.values[*]',
  }));
  const columns = columnsOf(versionOf({ additionalPrinterColumns: declared }));
  const row = () => columns.map((column) => column.cell(large, now));
  expect(row()).toEqual(['a', 1, null, null, null]);
  expect(row()).toEqual(['a', 1, null, null, null]);
});

describe('columns of a version', () => {
  it('OBJ-003 PRN-004 are the name and the age if none are declared', () => {
    const columns = columnsOf(versionOf());
    expect(columns.map(({ name, type, format }) => [name, type, format])).toEqual([
      ['Name', 'string', 'name'],
      ['Age', 'date', ''],
    ]);
    expect(columns.map((column) => column.cell(object, now))).toEqual(['a', '60s']);
  });

  it('PRN-005 PRN-006 PRN-024 contain the declared members, and their path if they have no description', () => {
    const declared = { name: 'C', type: 'integer', format: 'int32', priority: 1, jsonPath: '.i' };
    const [, column] = columnsOf(versionOf({ additionalPrinterColumns: [declared] }));
    expect(column).toMatchObject({
      name: 'C',
      format: 'int32',
      priority: 1,
      description: 'Custom resource definition column (in JSONPath format): .i',
    });
  });

  it.each([
    ['PRN-015', 'integer', 'int32'],
    ['PRN-016', 'integer', 'int64'],
    ['PRN-017', 'number', 'float'],
    ['PRN-018', 'number', 'double'],
    ['PRN-019', 'string', 'byte'],
    ['PRN-020', 'string', 'date'],
    ['PRN-021', 'string', 'date-time'],
    ['PRN-022', 'string', 'password'],
  ])('%s pass the format of a column on: %s, %s', (_id, type, format) => {
    const declared = { name: 'C', type, format, jsonPath: '.i' };
    expect(columnsOf(versionOf({ additionalPrinterColumns: [declared] }))[1]).toMatchObject({ type, format });
  });

  it('end before a path that cannot be parsed', () => {
    const bad = { name: 'Bad', type: 'string', jsonPath: '.a[' };
    const good = { name: 'Good', type: 'string', jsonPath: '.s' };
    const names = columnsOf(versionOf({ additionalPrinterColumns: [good, bad, good] })).map((c) => c.name);
    expect(names).toEqual(['Name', 'Good']);
  });
});
