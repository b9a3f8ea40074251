import fc from 'fast-check';

/** A JSON value. */
export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
/** A JSON object. */
export type JsonRecord = { [name: string]: Json };

/** A schema and values of it. */
interface Shape {
  schema: JsonRecord;
  /** Valid values. */
  fitting: fc.Arbitrary<Json>;
  /** Mostly valid values, with nulls and unknown fields. */
  loose: fc.Arbitrary<Json>;
}

/** A structural schema and objects of it, without type and metadata. */
export interface SchemaCase {
  schema: JsonRecord;
  /** A valid object. */
  fitting: JsonRecord;
  /** A mostly valid object, with nulls, invalid types and unknown fields. */
  loose: JsonRecord;
}

const present: Json[] = [1, 'x', true, 0.5, [], {}, [1, null], { q: 1, w: null }, { q: { r: [{}] } }];
const anything: fc.Arbitrary<Json> = fc.constantFrom<Json>(null, ...present);

const mostly = (fitting: fc.Arbitrary<Json>): fc.Arbitrary<Json> =>
  fc.oneof({ weight: 9, arbitrary: fitting }, { weight: 1, arbitrary: anything });

const scalar = (schema: JsonRecord, ...values: Json[]): Shape => {
  const fitting = fc.constantFrom<Json>(...values);
  return { schema, fitting, loose: mostly(fitting) };
};

const preserved = { 'x-kubernetes-preserve-unknown-fields': true };

const scalars: fc.Arbitrary<Shape> = fc.constantFrom(
  scalar({ type: 'string' }, '', 'a', 'é', 'constructor'),
  scalar({ type: 'string', enum: ['a', 'b'] }, 'a', 'b'),
  scalar({ type: 'string', pattern: '^a', maxLength: 3 }, 'a', 'abc'),
  scalar({ type: 'string', format: 'date' }, '2024-02-29'),
  scalar({ type: 'integer' }, 0, -1, 9007199254740991),
  scalar({ type: 'integer', minimum: 1, maximum: 9 }, 1, 9),
  scalar({ type: 'number', minimum: 0.5 }, 0.5, 2),
  scalar({ type: 'boolean' }, true, false),
  scalar({ 'x-kubernetes-int-or-string': true }, 5, '5%'),
  scalar(preserved, ...present),
);

const plain = { noNullPrototype: true } as const;

function objectShape(fields: Record<string, Shape>, required: string[], more: JsonRecord): Shape {
  const of = (kind: 'fitting' | 'loose') =>
    Object.fromEntries(Object.entries(fields).map(([name, shape]) => [name, shape[kind]]));
  const properties = Object.fromEntries(Object.entries(fields).map(([name, { schema }]) => [name, schema]));
  const unknown = fc.option(fc.record({ unknown: anything }, plain), { nil: {}, freq: 4 });
  return {
    schema: { type: 'object', properties, ...(required.length > 0 ? { required } : {}), ...more },
    fitting: fc.record(of('fitting'), { requiredKeys: required, ...plain }),
    loose: mostly(
      fc
        .tuple(unknown, fc.record(of('loose'), { requiredKeys: [], ...plain }))
        .map(([extra, object]) => ({ ...extra, ...object })),
    ),
  };
}

const names = fc.constantFrom('a', 'b', 'x-y', 'constructor', 'spec');

/** Properties may be nullable, unless an enumeration would have to contain null, and have defaults. */
const properties = (shapes: fc.Arbitrary<Shape>): fc.Arbitrary<Shape> =>
  fc.tuple(shapes, fc.nat(4), fc.nat(3)).chain(([{ schema, fitting, loose }, nullable, defaulted]) => {
    const isNullable = nullable === 0 && schema.enum === undefined;
    return fitting.map((value) => ({
      schema: {
        ...schema,
        ...(isNullable ? { nullable: true } : {}),
        ...(defaulted === 0 ? { default: value } : {}),
      },
      fitting: isNullable ? fc.option(fitting, { nil: null }) : fitting,
      loose,
    }));
  });

const objects = (shapes: fc.Arbitrary<Shape>): fc.Arbitrary<Shape> =>
  fc
    .tuple(
      fc.dictionary(names, properties(shapes), { minKeys: 1, maxKeys: 4, ...plain }),
      fc.nat(3),
      fc.nat(5),
    )
    .map(([fields, required, open]) =>
      objectShape(fields, required === 0 ? Object.keys(fields).slice(0, 1) : [], open === 0 ? preserved : {}),
    );

const maps = (shapes: fc.Arbitrary<Shape>): fc.Arbitrary<Shape> =>
  shapes.map(({ schema, fitting, loose }) => {
    const of = (values: fc.Arbitrary<Json>) =>
      fc.dictionary(fc.constantFrom('k1', 'k.2', 'toString'), values, { maxKeys: 2, ...plain });
    return {
      schema: { type: 'object', additionalProperties: schema },
      fitting: of(fitting),
      loose: mostly(of(loose)),
    };
  });

const lists = (shapes: fc.Arbitrary<Shape>): fc.Arbitrary<Shape> =>
  shapes.map(({ schema, fitting, loose }) => ({
    schema: { type: 'array', items: schema },
    fitting: fc.array(fitting, { maxLength: 3 }),
    loose: mostly(fc.array(loose, { maxLength: 3 })),
  }));

const setShape: Shape = {
  schema: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
  fitting: fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { maxLength: 3 }),
  loose: mostly(fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 3 })),
};

const mapLists = (shapes: fc.Arbitrary<Shape>): fc.Arbitrary<Shape> =>
  shapes.map((value) => {
    const key = scalar({ type: 'string' }, 'a', 'b', 'c');
    const item = objectShape({ k: key, v: value }, ['k'], {});
    const type = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] };
    return {
      schema: { type: 'array', items: item.schema, ...type },
      fitting: fc.uniqueArray(item.fitting, { maxLength: 3, selector: (each) => (each as JsonRecord).k }),
      loose: mostly(fc.array(item.loose, { maxLength: 3 })),
    };
  });

const embedded = (shapes: fc.Arbitrary<Shape>): fc.Arbitrary<Shape> =>
  fc.tuple(shapes, fc.boolean()).map(([spec, open]) => {
    const metadata = fc.constantFrom<Json>({}, { name: 'abc' }, { name: 'abc', labels: { a: 'b' } });
    const strange = fc.constantFrom<Json>(
      null,
      { name: 'abc', unknown: 1 },
      { labels: null, finalizers: [] },
    );
    const fields = { apiVersion: fc.constant('v1'), kind: fc.constant('Pod'), spec: spec.fitting };
    const requiredKeys: ('apiVersion' | 'kind')[] = ['apiVersion', 'kind'];
    return {
      schema: {
        type: 'object',
        'x-kubernetes-embedded-resource': true,
        properties: { spec: spec.schema },
        ...(open ? preserved : {}),
      },
      fitting: fc.record({ ...fields, metadata }, { requiredKeys, ...plain }),
      loose: fc.record(
        { ...fields, metadata: fc.oneof(metadata, strange), status: anything },
        { requiredKeys: [], ...plain },
      ),
    };
  });

function shapes(depth: number): fc.Arbitrary<Shape> {
  if (depth === 0) return scalars;
  const below = shapes(depth - 1);
  return fc.oneof(
    { weight: 3, arbitrary: scalars },
    { weight: 4, arbitrary: objects(below) },
    ...[maps, lists, mapLists, embedded].map((make) => ({ weight: 1, arbitrary: make(below) })),
    { weight: 1, arbitrary: fc.constant(setShape) },
  );
}

/** Generates structural schemas up to a depth, each with objects, for property tests. */
export const schemaCases = (depth = 3): fc.Arbitrary<SchemaCase> =>
  objects(shapes(depth)).chain(({ schema, fitting, loose }) =>
    fc.record({
      schema: fc.constant(schema),
      fitting: fitting as fc.Arbitrary<JsonRecord>,
      loose: loose.filter(
        (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
      ) as fc.Arbitrary<JsonRecord>,
    }),
  );
