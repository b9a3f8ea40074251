import { describe, expect, test } from 'vitest';
import { diff } from './diff.ts';
import { normalize, sortCauses } from './normalize.ts';
import { drop, get } from './paths.ts';
import { loadYaml, printJson, readJson } from './scalars.ts';

describe('YAML is read as PyYAML writes it', () => {
  test.each<[string, unknown]>([
    ['yes', true],
    ['y', 'y'],
    ['1e3', '1e3'],
    ['017', 15],
    ['"1"', '1'],
    ['~', null],
    ['9223372036854775807', 9223372036854775807n],
    ['2026-01-01', '2026-01-01'],
  ])('%s', (text, value) => expect(loadYaml(text)).toEqual(value));
});

test('JSON has the format of the recordings', () => {
  const value = loadYaml('{a: [1, 1.0, 1.5], b: "ä", c: 9223372036854775807, d: 1.0e+20}');
  expect(printJson(value)).toBe('{"a": [1, 1.0, 1.5], "b": "\\u00e4", "c": 9223372036854775807, "d": 1e+20}');
  expect(readJson('{"a": 9223372036854775807}')).toEqual({ a: 9223372036854775807n });
});

test('paths select by index, by value, and with dots in names', () => {
  const value = {
    a: [
      { type: 'X', s: 1 },
      { type: 'Y', s: true },
    ],
    'b.c': { d: 2 },
  };
  expect(get(value, 'a[1].s')).toBe(true);
  expect(get(value, 'a[type=Y].s')).toBe(true);
  expect(get(value, 'a[s=True].type')).toBe('Y');
  expect(get(value, 'b\\.c.d')).toBe(2);
  expect(get(value, 'a[9].s')).toBeNull();
  drop(value, 'a[*].s');
  drop(value, 'a[0]');
  drop(value, 'b\\.c');
  expect(value).toEqual({ a: ['<ignored>', { type: 'Y' }] });
});

test('values that differ between servers are replaced', () => {
  const object = {
    metadata: {
      name: 'gen-x7k2p',
      generateName: 'gen-',
      uid: '0b7a3c9e-1d2f-4a5b-8c6d-7e8f9a0b1c2d',
      resourceVersion: '17',
      creationTimestamp: '2026-01-01T00:00:00Z',
      managedFields: [],
    },
    conditions: [
      { type: 'B', status: 'True' },
      { type: 'A', status: 'True' },
    ],
    url: 'https://localhost:4711/x',
    port: 4711,
    caBundle: 'Zm9v',
  };
  expect(normalize(object, {}, [{ name: 'hook', port: 4711 }])).toEqual({
    metadata: {
      name: 'gen-<generated>',
      generateName: 'gen-',
      uid: '<uid>',
      resourceVersion: '<rv>',
      creationTimestamp: '<time>',
    },
    conditions: [
      { type: 'A', status: 'True' },
      { type: 'B', status: 'True' },
    ],
    url: 'https://localhost:<hook.port>/x',
    port: '<hook.port>',
    caBundle: '<caBundle>',
  });
});

describe('several errors are sorted', () => {
  const status = (message: string, ...causes: [string, string][]) => ({
    kind: 'Status',
    message,
    details: { causes: causes.map(([field, text]) => ({ reason: 'R', field, message: text })) },
  });

  test('in their causes and in the message', () => {
    const sorted = status('T "x" is invalid: [a: one, b: two]', ['a', 'one'], ['b', 'two']);
    expect(
      sortCauses(status('T "x" is invalid: [b: two, a: one]', ['b', 'two'], ['a', 'one']), false),
    ).toEqual(sorted);
  });

  test('but those of one field keep their order on request', () => {
    const kept = status('T "x" is invalid: [a: two, a: one]', ['a', 'two'], ['a', 'one']);
    expect(sortCauses(kept, true)).toEqual(kept);
    expect(sortCauses(kept, false)).not.toEqual(kept);
  });
});

describe('differences', () => {
  test.each<[string, unknown, unknown, string[]]>([
    ['none', { a: [1, 'x', null] }, { a: [1, 'x', null] }, []],
    ['numbers of equal value', loadYaml('[1.0]'), [1], []],
    ['a missing member', { a: 1 }, {}, ['.a: want 1, missing']],
    ['an additional member', {}, { a: 1 }, ['.a: not wanted, got 1']],
    ['another type', { a: '1' }, { a: 1 }, ['.a: want "1", got 1']],
    ['another length', [1], [1, 2], [': want 1 items, got 2: want [1] got [1, 2]']],
  ])('%s', (_what, want, got, lines) => expect(diff(want, got)).toEqual(lines));
});
