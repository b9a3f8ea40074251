import {
  type FieldError,
  type JsonObject,
  type JsonValue,
  deepCopy,
  fieldErrors,
  fieldErrorText,
  parseJson,
} from '@annex/machinery';
import { describe, expect, it } from 'vitest';
import { compileStructural } from './structural.ts';

const schema = (properties: JsonObject): JsonObject => ({ type: 'object', properties });
const texts = (properties: JsonObject, object: JsonObject): string[] =>
  compileStructural(schema(properties)).validate(object).map(fieldErrorText);

type Case = [properties: JsonObject, object: JsonObject, errors: string[]];
/** Returns cases that validate objects against one set of properties. */
const against = (properties: JsonObject, cases: [object: JsonObject, ...errors: string[]][]): Case[] =>
  cases.map(([object, ...errors]) => [properties, object, errors]);

const numbers: JsonObject = {
  i: { type: 'integer', minimum: 2, maximum: 5 },
  ex: { type: 'number', minimum: 0, maximum: 1, exclusiveMinimum: true, exclusiveMaximum: true },
  m: { type: 'integer', multipleOf: 5 },
  mf: { type: 'number', multipleOf: 0.5 },
  half: { type: 'number', maximum: 2.5, multipleOf: 0.25 },
  b: { type: 'boolean' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  float: { type: 'number', format: 'float' },
};

describe('numbers (VAL-017, KEP-044)', () => {
  it.each(
    against(numbers, [
      [{ i: 1 }, 'i: Invalid value: 1: i in body should be greater than or equal to 2'],
      [{ i: 6 }, 'i: Invalid value: 6: i in body should be less than or equal to 5'],
      [{ i: 3, ex: 0.5, m: 10, mf: 1.5 }],
      [
        { i: 3.5 },
        'i: Invalid value: "number": i in body must be of type integer: "number"',
        '<nil>: Invalid value: "": Checked value must be of type integer (default format) in i',
      ],
      [{ i: '3' }, 'i: Invalid value: "string": i in body must be of type integer: "string"'],
      [{ ex: 0 }, 'ex: Invalid value: 0: ex in body should be greater than 0'],
      [{ ex: 1 }, 'ex: Invalid value: 1: ex in body should be less than 1'],
      [{ m: 7 }, 'm: Invalid value: 7: m in body should be a multiple of 5'],
      [{ mf: 0.75 }, 'mf: Invalid value: 0.75: mf in body should be a multiple of 0.5'],
      [
        { half: 3 },
        'half: Invalid value: 0: factor MultipleOf declared for half must be positive: 0',
        'half: Invalid value: 3: half in body should be less than or equal to 2',
      ],
      [{ b: 1 }, 'b: Invalid value: "integer": b in body must be of type boolean: "integer"'],
      [{ int32: 2147483647 }],
      [
        { int32: 2147483648 },
        '<nil>: Invalid value: "": Checked value must be of type integer with format int32 in int32',
      ],
      [
        { int32: 1.5 },
        'int32: Invalid value: "float64": int32 in body must be of type int32: "float64"',
        '<nil>: Invalid value: "": Checked value must be of type integer with format int32 in int32',
      ],
      [{ float: 3e38 }],
      [
        { float: 1e39 },
        '<nil>: Invalid value: "": Checked value must be of type number with format float in float',
      ],
    ]),
  )('%#', (properties, object, errors) => {
    expect(texts(properties, object)).toEqual(errors);
  });

  it('are exact beyond 2^53', () => {
    const object = parseJson('{"int64": 9223372036854775807, "i": 9007199254740993}') as JsonObject;
    expect(texts(numbers, object)).toEqual([
      'i: Invalid value: 9007199254740993: i in body should be less than or equal to 5',
    ]);
  });
});

const collections: JsonObject = {
  l: { type: 'array', items: { type: 'integer' }, minItems: 1, maxItems: 3 },
  m: { type: 'object', additionalProperties: { type: 'integer' }, minProperties: 1, maxProperties: 2 },
  o: {
    type: 'object',
    properties: {
      a: { type: 'string' },
      c: { type: 'object', properties: { d: { type: 'integer' } }, required: ['d'] },
    },
    required: ['a', 'b'],
  },
  lo: {
    type: 'array',
    items: { type: 'object', properties: { v: { type: 'array', items: { type: 'string', maxLength: 2 } } } },
  },
  mo: {
    type: 'object',
    additionalProperties: {
      type: 'object',
      properties: { k: { type: 'string', pattern: '^k' } },
      required: ['k'],
    },
  },
  none: { type: 'object', additionalProperties: false },
  s: { type: 'string', minLength: 2, maxLength: 1 },
};

describe('collections and strings', () => {
  it.each(
    against(collections, [
      [{ l: [] }, 'l: Invalid value: 0: l in body should have at least 1 items'],
      [{ l: [1, 2, 3, 4] }, 'l: Too many: 4: must have at most 3 items'],
      [{ l: [1, 'b'] }, 'l[1]: Invalid value: "string": l[1] in body must be of type integer: "string"'],
      [{ l: [1, null] }, 'l[1]: Invalid value: "null": l[1] in body must be of type integer: "null"'],
      [{ l: {} }, 'l: Invalid value: "object": l in body must be of type array: "object"'],
      [{ m: {} }, 'm: Invalid value: 0: m in body should have at least 1 properties'],
      [{ m: { a: 1, b: 2, c: 3 } }, 'm: Too many: 3: must have at most 2 items'],
      [{ m: { a: 'x' } }, 'm.a: Invalid value: "string": m.a in body must be of type integer: "string"'],
      [{ o: { c: {} } }, 'o.c.d: Required value', 'o.a: Required value', 'o.b: Required value'],
      [
        { lo: [{ v: ['ab', 'abc', 3] }] },
        'lo[0].v[1]: Too long: may not be more than 2 bytes',
        'lo[0].v[2]: Invalid value: "integer": lo[0].v[2] in body must be of type string: "integer"',
      ],
      [
        { mo: { 'a.b/c': { k: 'q' }, x: {} } },
        'mo.a.b/c.k: Invalid value: "q": mo.a.b/c.k in body should match \'^k\'',
        'mo.x.k: Required value',
      ],
      [{ none: { a: 1 } }, 'none: Invalid value: "a": none.a in body is a forbidden property'],
      [{ s: '😀' }, 's: Invalid value: "😀": s in body should be at least 2 chars long'],
      [{ s: '😀x' }, 's: Too long: may not be more than 1 byte'],
    ]),
  )('%#', (properties, object, errors) => {
    expect(texts(properties, object)).toEqual(errors);
  });

  it('treats names of Object.prototype as ordinary fields', () => {
    const object = JSON.parse(
      '{"o": {"a": "", "b": "", "constructor": 1}, "m": {"__proto__": "x"}}',
    ) as JsonObject;
    expect(texts(collections, object)).toEqual([
      'm.__proto__: Invalid value: "string": m.__proto__ in body must be of type integer: "string"',
    ]);
    expect(texts({ o: { type: 'object', required: ['toString'] } }, { o: {} })).toEqual([
      'o.toString: Required value',
    ]);
  });
});

const junctors: JsonObject = {
  one: {
    type: 'object',
    properties: { a: { type: 'string' } },
    oneOf: [{ required: ['a'] }, { required: ['b'] }],
  },
  any: { type: 'integer', anyOf: [{ maximum: 3 }, { minimum: 10 }] },
  all: { type: 'string', allOf: [{ minLength: 2 }, { pattern: '^z' }] },
  no: { type: 'string', not: { pattern: 'x' } },
  nest: {
    type: 'object',
    anyOf: [{ properties: { k: { enum: ['p'] } } }, { properties: { v: { minimum: 5 } }, required: ['v'] }],
  },
};

describe('junctors report the branch that matched best', () => {
  it.each(
    against(junctors, [
      [{ one: { a: '1' }, any: 12, all: 'zz', no: 'abc', nest: { k: 'q', v: 7 } }],
      [
        { one: { a: '1', b: '2' } },
        '<nil>: Invalid value: "": "one" must validate one and only one schema (oneOf). Found 2 valid alternatives',
      ],
      [
        { one: {} },
        '<nil>: Invalid value: "": "one" must validate one and only one schema (oneOf). Found none valid',
        'one.a: Required value',
      ],
      [
        { any: 5 },
        '<nil>: Invalid value: "": "any" must validate at least one schema (anyOf)',
        'any: Invalid value: 5: any in body should be less than or equal to 3',
      ],
      [
        { all: 'a' },
        'all: Invalid value: "a": all in body should be at least 2 chars long',
        'all: Invalid value: "a": all in body should match \'^z\'',
        '<nil>: Invalid value: "": "all" must validate all the schemas (allOf). None validated',
      ],
      [
        { all: 'ab' },
        'all: Invalid value: "ab": all in body should match \'^z\'',
        '<nil>: Invalid value: "": "all" must validate all the schemas (allOf)',
      ],
      [{ no: 'axc' }, '<nil>: Invalid value: "": "no" must not validate the schema (not)'],
      [
        { nest: { k: 'q', v: 1 } },
        '<nil>: Invalid value: "": "nest" must validate at least one schema (anyOf)',
        'nest.v: Invalid value: 1: nest.v in body should be greater than or equal to 5',
      ],
    ]),
  )('%#', (properties, object, errors) => {
    expect(texts(properties, object)).toEqual(errors);
  });
});

const mixed: JsonObject = {
  a: { 'x-kubernetes-int-or-string': true },
  b: { 'x-kubernetes-int-or-string': true, maximum: 100, pattern: '^[0-9]+%?$' },
  e: { 'x-kubernetes-int-or-string': true, enum: [1, 'all'] },
  n: { type: 'string', nullable: true, enum: ['x'] },
  f: { type: 'string', format: 'zip-code' },
  d: { type: 'string', format: 'date' },
  list: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
  map: {
    type: 'array',
    items: { type: 'object', properties: { k: { type: 'string' }, p: { type: 'integer' } } },
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['k', 'p'],
  },
};

describe('int-or-string, enumerations, formats and list types', () => {
  it.each(
    against(mixed, [
      [{ a: 5, b: '70%', e: 'all', f: 'any' }],
      [{ a: 'x' }],
      [{ a: true }, 'a: Invalid value: "boolean": a in body must be of type integer,string: "boolean"'],
      [{ a: 1.5 }, 'a: Invalid value: "number": a in body must be of type integer,string: "number"'],
      [{ b: 500 }, 'b: Invalid value: 500: b in body should be less than or equal to 100'],
      [{ e: 2 }, 'e: Unsupported value: 2: supported values: "1", "all"'],
      [{ n: null }, 'n: Unsupported value: null: supported values: "x"'],
      [{ d: '2023-02-29' }, 'd: Invalid value: "2023-02-29": d in body must be of type date: "2023-02-29"'],
      [{ list: ['a', 'b', 'a', 'a'] }, 'list[2]: Duplicate value: "a"'],
      [{ map: [{ k: 'a', p: 1 }, { k: 'a' }, { p: 1, k: 'a' }] }, 'map[2]: Duplicate value: {"k":"a","p":1}'],
    ]),
  )('%#', (properties, object, errors) => {
    expect(texts(properties, object)).toEqual(errors);
  });
});

const preserve = { 'x-kubernetes-preserve-unknown-fields': true };
const prunable: JsonObject = {
  spec: {
    type: 'object',
    properties: {
      a: { type: 'string' },
      l: { type: 'array', items: { type: 'object', properties: { x: { type: 'integer' } } } },
    },
  },
  json: preserve,
  part: {
    type: 'object',
    ...preserve,
    properties: { spec: { type: 'object', properties: { foo: { type: 'string' } } } },
  },
  values: {
    type: 'object',
    ...preserve,
    additionalProperties: { type: 'object', properties: { k: { type: 'string' } } },
  },
  any: { type: 'object', additionalProperties: true },
};

describe('prune', () => {
  const compiled = compileStructural(schema(prunable));
  it.each<[name: string, object: JsonObject, pruned: JsonObject, unknown: string[]]>([
    [
      'PRU-001 PRU-008 removes unknown fields and names them in order',
      { top: 1, spec: { b: 2, a: '1', l: [{ x: 1, y: 2 }] } },
      { spec: { a: '1', l: [{ x: 1 }] } },
      ['spec.b', 'spec.l[0].y', 'top'],
    ],
    [
      'leaves the type and the metadata alone',
      { apiVersion: 'v1', kind: 'A', metadata: { x: null } },
      { apiVersion: 'v1', kind: 'A', metadata: { x: null } },
      [],
    ],
    ['PRU-009 PRU-010 keeps what is preserved', { json: [1, { a: null }] }, { json: [1, { a: null }] }, []],
    [
      'PRU-012 PRU-013 prunes again where properties are specified',
      { part: { spec: { foo: 'abc', something: 'x' }, status: { something: 'x' } } },
      { part: { spec: { foo: 'abc' }, status: { something: 'x' } } },
      ['part.spec.something'],
    ],
    [
      'PRU-014 and where values are',
      { values: { v: { k: '', z: 1 } } },
      { values: { v: { k: '' } } },
      ['values.v.z'],
    ],
    [
      'prunes below additionalProperties: true',
      { any: { a: 1, b: { c: 1 } } },
      { any: { a: 1, b: {} } },
      ['any.b.c'],
    ],
    [
      'DEF-012 drops nulls without a word',
      { spec: { a: null, l: [{ x: null }] } },
      { spec: { l: [{}] } },
      [],
    ],
  ])('%s', (_, object, pruned, unknown) => {
    const copy = deepCopy(object);
    expect(compiled.prune(copy)).toEqual(unknown);
    expect(copy).toEqual(pruned);
  });

  it('does not recurse into lists without a schema', () => {
    let deep: JsonValue = { unknown: 1 };
    for (let i = 0; i < 100_000; i++) deep = [deep];
    expect(compiled.prune({ any: { deep } })).toHaveLength(1);
  });
});

describe('defaults', () => {
  const compiled = compileStructural(
    schema({
      nul: {
        type: 'object',
        properties: {
          foo: { type: 'string', nullable: false, default: 'default' },
          bar: { type: 'string', nullable: true, default: 'x' },
          baz: { type: 'string' },
        },
      },
      list: { type: 'array', items: { type: 'object', properties: { y: { type: 'integer', default: 9 } } } },
      object: {
        type: 'object',
        properties: {
          a: { type: 'object', default: {}, properties: { b: { type: 'string', default: 'c' } } },
        },
      },
    }),
  );
  it.each<[name: string, object: JsonObject, result: JsonObject]>([
    [
      'DEF-012 to DEF-015 replace nulls that may not be',
      { nul: { foo: null, bar: null, baz: null } },
      { nul: { foo: 'default', bar: null } },
    ],
    ['do not create the object that contains them', {}, {}],
    ['fill items', { list: [{}, { y: 1 }] }, { list: [{ y: 9 }, { y: 1 }] }],
    ['fill what defaults added', { object: {} }, { object: { a: { b: 'c' } } }],
  ])('%s', (_, object, result) => {
    const copy = deepCopy(object);
    compiled.prune(copy);
    compiled.applyDefaults(copy);
    expect(copy).toEqual(result);
  });

  it('are copies', () => {
    const [one, two] = [{ object: {} }, { object: {} }] as [JsonObject, JsonObject];
    compiled.applyDefaults(one);
    compiled.applyDefaults(two);
    expect((one.object as JsonObject).a).not.toBe((two.object as JsonObject).a);
  });
});

it('errors of the kind follow those of the schema, before those of embedded resources and lists', () => {
  const properties: JsonObject = {
    spec: {
      type: 'object',
      properties: {
        count: { type: 'integer', maximum: 1 },
        pod: { type: 'object', 'x-kubernetes-embedded-resource': true },
        set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
      },
    },
    status: {
      type: 'object',
      properties: { set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } } },
    },
  };
  const own = () => [fieldErrors.invalid('own', 1, 'of the kind')];
  const compiled = compileStructural(schema(properties), { checks: { ofObject: own, ofStatus: own } });
  const object = { spec: { count: 2, pod: {}, set: ['a', 'a'] }, status: { set: ['b', 'b'] } };
  const fields = (errors: FieldError[]) => errors.map(({ field }) => field);
  expect(fields(compiled.validate(object))).toEqual([
    ...['spec.count', 'own', 'spec.pod.apiVersion', 'spec.pod.kind', 'spec.set[1]', 'status.set[1]'],
  ]);
  expect(fields(compiled.validateStatus(object))[0]).toBe('own');
});
