import type { JsonObject, JsonValue } from '@annex/machinery';
import { describe, expect, it } from 'vitest';
import {
  compileErrorOf,
  integer,
  evaluateField,
  list,
  mapOf,
  objectOf,
  string,
  withRules,
} from './rules.fixture.ts';

/** A rule of the documentation with valid and invalid values; for transitions, pairs of old and new values. */
interface Row {
  name: string;
  schema: JsonObject;
  passes: readonly JsonValue[];
  fails: readonly JsonValue[];
}

const row = (name: string, schema: JsonObject, passes: JsonValue[], fails: JsonValue[]): Row => ({
  name,
  schema,
  passes,
  fails,
});

const strings = list(string);
const integers = list(integer);
const set = list(integer, { 'x-kubernetes-list-type': 'set' });
const time = { type: 'string', format: 'date-time' };
const span = { type: 'string', format: 'duration' };

const rows: readonly Row[] = [
  row(
    'CELT-001 orders three fields',
    objectOf(
      { minReplicas: integer, replicas: integer, maxReplicas: integer },
      'self.minReplicas <= self.replicas && self.replicas <= self.maxReplicas',
    ),
    [{ minReplicas: 0, replicas: 5, maxReplicas: 10 }],
    [
      { minReplicas: 0, replicas: 20, maxReplicas: 10 },
      { minReplicas: 6, replicas: 5, maxReplicas: 10 },
    ],
  ),
  row(
    'CELT-002 a key of a map',
    objectOf({ stateCounts: mapOf(integer) }, "'Available' in self.stateCounts"),
    [{ stateCounts: { Available: 1 } }],
    [{ stateCounts: { Down: 1 } }],
  ),
  row(
    'CELT-003 exactly one of two lists is empty',
    objectOf({ list1: strings, list2: strings }, '(size(self.list1) == 0) != (size(self.list2) == 0)'),
    [{ list1: ['a'], list2: [] }],
    [
      { list1: [], list2: [] },
      { list1: ['a'], list2: ['b'] },
    ],
  ),
  row(
    'CELT-004 the value of a key matches, if it is there',
    objectOf(
      { map1: mapOf(string) },
      "!('MY_KEY' in self.map1) || self.map1['MY_KEY'].matches('^[a-zA-Z]*$')",
    ),
    [{ map1: { MY_KEY: 'abc' } }, { map1: {} }],
    [{ map1: { MY_KEY: 'a1' } }],
  ),
  row(
    'CELT-005 the values of some items match',
    objectOf(
      { envars: list(objectOf({ name: string, value: string })) },
      "self.envars.filter(e, e.name == 'MY_ENV').all(e, e.value.matches('^[a-zA-Z]*$'))",
    ),
    [
      {
        envars: [
          { name: 'MY_ENV', value: 'abc' },
          { name: 'OTHER', value: '1' },
        ],
      },
    ],
    [{ envars: [{ name: 'MY_ENV', value: '1' }] }],
  ),
  row(
    'CELT-006 an instant after a span',
    objectOf(
      { created: time, ttl: span, expired: time },
      'has(self.expired) && self.created + self.ttl < self.expired',
    ),
    [{ created: '2024-01-01T00:00:00Z', ttl: '1h', expired: '2024-01-01T02:00:00Z' }],
    [
      { created: '2024-01-01T00:00:00Z', ttl: '3h', expired: '2024-01-01T02:00:00Z' },
      { created: '2024-01-01T00:00:00Z', ttl: '1h' },
    ],
  ),
  row(
    'CELT-007 the start of a string',
    objectOf({ health: string }, "self.health.startsWith('ok')"),
    [{ health: 'ok-1' }],
    [{ health: 'bad' }],
  ),
  row(
    'CELT-008 an item that has two properties',
    objectOf(
      { widgets: list(objectOf({ key: string, foo: integer })) },
      "self.widgets.exists(w, w.key == 'x' && w.foo < 10)",
    ),
    [{ widgets: [{ key: 'x', foo: 5 }] }],
    [
      {
        widgets: [
          { key: 'x', foo: 10 },
          { key: 'y', foo: 5 },
        ],
      },
    ],
  ),
  row(
    'CELT-009 CELS-022 a string or an integer',
    withRules({ 'x-kubernetes-int-or-string': true }, "type(self) == string ? self == '100%' : self == 1000"),
    ['100%', 1000],
    ['50%', 5],
  ),
  row(
    'CELT-011 disjoint sets',
    objectOf({ set1: set, set2: set }, 'self.set1.all(e, !(e in self.set2))'),
    [{ set1: [1], set2: [2] }],
    [{ set1: [1], set2: [1, 2] }],
  ),
  row(
    'CELT-012 the names are the keys',
    objectOf(
      { names: strings, details: mapOf(string) },
      'size(self.names) == size(self.details) && self.names.all(n, n in self.details)',
    ),
    [{ names: ['a'], details: { a: 'x' } }],
    [
      { names: ['a'], details: { b: 'x' } },
      { names: ['a'], details: { a: 'x', b: 'y' } },
    ],
  ),
  row(
    'CELT-013 exactly one item has the name',
    objectOf(
      { clusters: list(objectOf({ name: string })), primary: string },
      'size(self.clusters.filter(c, c.name == self.primary)) == 1',
    ),
    [{ clusters: [{ name: 'a' }, { name: 'b' }], primary: 'a' }],
    [
      { clusters: [{ name: 'a' }, { name: 'a' }], primary: 'a' },
      { clusters: [], primary: 'a' },
    ],
  ),
  row(
    'CELT-015 CELS-004 an object in a map',
    objectOf(
      { components: mapOf(objectOf({ priority: integer })) },
      "self.components['Widget'].priority < 10",
    ),
    [{ components: { Widget: { priority: 9 } } }],
    [{ components: { Widget: { priority: 10 } } }, { components: {} }],
  ),
  row(
    'CELT-016 all items of a list',
    objectOf({ values: integers }, 'self.values.all(value, value >= 0 && value < 100)'),
    [{ values: [0, 99] }],
    [{ values: [100] }, { values: [-1] }],
  ),
  row('CELT-017 CELS-030 a string', withRules(string, "self.startsWith('kube')"), ['kubelet'], ['x']),
];

describe('rules of the documentation', () => {
  it.each(rows)('$name', ({ schema, passes, fails }) => {
    expect(compileErrorOf(schema)).toBeUndefined();
    expect(passes.map((value) => evaluateField(schema, value))).toEqual(passes.map(() => []));
    expect(fails.map((value) => evaluateField(schema, value).length)).toEqual(fails.map(() => 1));
  });
});

/** An old value, a new one, and whether the change is allowed. */
type Change = readonly [old: JsonValue | undefined, value: JsonValue, allowed: boolean];

const changes: readonly (readonly [name: string, schema: JsonObject, changes: readonly Change[]])[] = [
  [
    'CELT-030 immutability',
    objectOf({ foo: string }, 'self.foo == oldSelf.foo'),
    [
      [undefined, { foo: 'a' }, true],
      [{ foo: 'a' }, { foo: 'a' }, true],
      [{ foo: 'a' }, { foo: 'b' }, false],
    ],
  ],
  [
    'CELT-031 what is set once stays',
    withRules(string, "oldSelf != 'bar' || self == 'bar'"),
    [
      ['x', 'y', true],
      ['bar', 'bar', true],
      ['bar', 'x', false],
    ],
  ],
  [
    'CELT-032 a field is not removed',
    objectOf({ field: integer }, '!has(oldSelf.field) || has(self.field)'),
    [
      [{}, {}, true],
      [{}, { field: 1 }, true],
      [{ field: 1 }, {}, false],
    ],
  ],
  [
    'CELT-033 a set that only shrinks',
    withRules(list(string, { 'x-kubernetes-list-type': 'set' }), 'self.all(element, element in oldSelf)'),
    [
      [['a', 'b'], ['a'], true],
      [['a'], ['a', 'b'], false],
    ],
  ],
  [
    'CELT-034 what may follow',
    withRules(string, "oldSelf != 'X' || self in ['A', 'B']"),
    [
      ['X', 'A', true],
      ['Q', 'Y', true],
      ['X', 'Y', false],
      ['X', 'X', false],
    ],
  ],
  [
    'CELT-035 a number that does not decrease',
    withRules(integer, 'self >= oldSelf'),
    [
      [1, 1, true],
      [1, 2, true],
      [2, 1, false],
    ],
  ],
  [
    'CELT-027 a value that may only be introduced',
    objectOf(
      { foo: string },
      {
        rule: 'self.foo == "foo" || (oldSelf.hasValue() && oldSelf.value().foo != "foo")',
        optionalOldSelf: true,
      },
    ),
    [
      [undefined, { foo: 'bar' }, false],
      [undefined, { foo: 'foo' }, true],
      [{ foo: 'bar' }, { foo: 'baz' }, true],
      [{ foo: 'foo' }, { foo: 'bar' }, false],
    ],
  ],
  [
    'CELT-029 a size that was reached',
    withRules(string, {
      rule: 'oldSelf.optMap(o, o.size()).orValue(0) < 4 || self.size() >= 4',
      optionalOldSelf: true,
    }),
    [
      [undefined, 'a', true],
      ['abc', 'abd', true],
      ['abcde', 'abc', false],
      ['abcde', 'abcd', true],
    ],
  ],
];

describe('transitions of the documentation', () => {
  it.each(changes)('%s', (_name, schema, pairs) => {
    expect(compileErrorOf(schema)).toBeUndefined();
    const allowed = pairs.map(([old, value]) => evaluateField(schema, value, old).length === 0);
    expect(allowed).toEqual(pairs.map(([, , expected]) => expected));
  });
});
