import { DividedVisit, deepCopy, finish, type JsonObject, type JsonValue, noteNames } from '@annex/machinery';
import { samples } from '@annex/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileBuiltin } from './builtin.ts';
import { openApiNode } from '../openapi-node.ts';
import type { SchemaNode } from '../node.ts';

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const core = (name: string) => `io.k8s.api.core.v1.${name}`;
const meta = (name: string) => `io.k8s.apimachinery.pkg.apis.meta.v1.${name}`;
const quantity = 'io.k8s.apimachinery.pkg.api.resource.Quantity';
const intOrString = 'io.k8s.apimachinery.pkg.util.intstr.IntOrString';
const extension = 'io.k8s.apimachinery.pkg.runtime.RawExtension';
const jsonSchema = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps';

const components: Record<string, JsonObject> = {
  [core('Pod')]: {
    type: 'object',
    properties: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { default: {}, allOf: [ref(meta('ObjectMeta'))] },
      spec: { default: {}, allOf: [ref(core('PodSpec'))] },
      data: { type: 'object', additionalProperties: { type: 'string', format: 'byte' } },
      schema: ref(jsonSchema),
      raw: ref(extension),
    },
  },
  [core('PodSpec')]: {
    type: 'object',
    required: ['containers'],
    properties: {
      containers: {
        type: 'array',
        items: { default: {}, allOf: [ref(core('Container'))] },
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['name'],
        'x-kubernetes-patch-strategy': 'merge',
        'x-kubernetes-patch-merge-key': 'name',
      },
      nodeSelector: {
        type: 'object',
        additionalProperties: { type: 'string', default: '' },
        'x-kubernetes-map-type': 'atomic',
      },
      priority: { type: 'integer', format: 'int32' },
    },
  },
  [core('Container')]: {
    type: 'object',
    required: ['name'],
    properties: {
      name: { type: 'string', default: '' },
      port: ref(intOrString),
      protocol: { type: 'string', default: 'TCP' },
      imagePullPolicy: { type: 'string' },
      livenessProbe: ref(core('Probe')),
      limits: { type: 'object', additionalProperties: ref(quantity) },
    },
  },
  [core('Probe')]: {
    type: 'object',
    properties: {
      grpc: ref(core('GRPCAction')),
      periodSeconds: { type: 'integer', format: 'int32' },
    },
  },
  [core('GRPCAction')]: { type: 'object', properties: { port: { type: 'integer', format: 'int32' } } },
  [meta('ObjectMeta')]: {
    type: 'object',
    properties: {
      name: { type: 'string' },
      labels: { type: 'object', additionalProperties: { type: 'string', default: '' } },
      creationTimestamp: { allOf: [ref(meta('Time'))] },
      renewTime: ref(meta('MicroTime')),
    },
  },
  [meta('Time')]: { type: 'string', format: 'date-time' },
  [meta('MicroTime')]: { type: 'string', format: 'date-time' },
  [quantity]: { oneOf: [{ type: 'string' }, { type: 'number' }] },
  [intOrString]: { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] },
  [extension]: { type: 'object' },
  [jsonSchema]: {
    type: 'object',
    properties: {
      type: { type: 'string' },
      items: ref(`${jsonSchema}OrArray`),
      properties: { type: 'object', additionalProperties: { default: {}, allOf: [ref(jsonSchema)] } },
    },
  },
  [`${jsonSchema}OrArray`]: {},
};

const pod = compileBuiltin(openApiNode(components, core('Pod')));

describe('openApiNode', () => {
  it('creates one node for each component, so that the tree can be cyclic', () => {
    const schema = openApiNode(components, jsonSchema);
    const values = schema.properties?.get('properties')?.additionalProperties;
    expect(values !== true && values?.properties?.get('type')).toBe(schema.properties?.get('type'));
    expect(openApiNode(components, `#/components/schemas/${jsonSchema}`)).toBe(schema);
  });

  it('keeps the fields that merges need', () => {
    const spec = openApiNode(components, core('PodSpec'));
    expect(spec.properties?.get('containers')).toMatchObject({
      type: 'array',
      listType: 'map',
      listMapKeys: ['name'],
      patchStrategy: 'merge',
      patchMergeKey: 'name',
    });
    expect(spec.properties?.get('nodeSelector')?.mapType).toBe('atomic');
  });

  it.each([
    [quantity, { goType: 'resource.Quantity', format: 'quantity' }],
    [intOrString, { goType: 'intstr.IntOrString', format: 'int-or-string', intOrString: true }],
    [extension, { goType: 'runtime.RawExtension', preserveUnknownFields: true }],
    [meta('MicroTime'), { goType: 'v1.MicroTime', format: 'date-time' }],
  ])('models %s', (name, expected) => {
    expect(openApiNode(components, name)).toMatchObject(expected);
  });

  it('rejects an undeclared component', () => {
    expect(() => openApiNode(components, 'constructor')).toThrow(
      'OpenAPI component constructor is not declared',
    );
  });
});

describe('decodeError of a built-in kind names the invalid type as Go does', () => {
  it.each<[object: JsonObject, text: string | undefined]>([
    [{}, undefined],
    [{ spec: null, metadata: { name: null, labels: { a: null } } }, undefined],
    [{ spec: 'y' }, 'json: cannot unmarshal string into Go struct field Pod.spec of type v1.PodSpec'],
    [
      { metadata: { labels: { a: 1 } } },
      'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string',
    ],
    [
      { metadata: { labels: 'x' } },
      'json: cannot unmarshal string into Go struct field ObjectMeta.metadata.labels of type map[string]string',
    ],
    [
      { spec: { containers: 'x' } },
      'json: cannot unmarshal string into Go struct field PodSpec.spec.containers of type []v1.Container',
    ],
    [
      { spec: { containers: [{ name: true }] } },
      'json: cannot unmarshal bool into Go struct field Container.spec.containers.name of type string',
    ],
    [
      { spec: { priority: 1.5 } },
      'json: cannot unmarshal number 1.5 into Go struct field PodSpec.spec.priority of type int32',
    ],
    [
      { spec: { priority: 3000000000 } },
      'json: cannot unmarshal number 3000000000 into Go struct field PodSpec.spec.priority of type int32',
    ],
    [
      { metadata: { creationTimestamp: 5 } },
      'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.creationTimestamp of type string',
    ],
    [
      { metadata: { creationTimestamp: 'x' } },
      'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"',
    ],
    [
      { metadata: { creationTimestamp: '2024-02-30T00:00:00Z' } },
      'parsing time "2024-02-30T00:00:00Z": day out of range',
    ],
    [
      { spec: { containers: [{ limits: { cpu: 'zz' } }] } },
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    ],
    [
      { spec: { containers: [{ limits: 'x' }] } },
      'json: cannot unmarshal string into Go struct field Container.spec.containers.limits of type v1.ResourceList',
    ],
    [
      { spec: { containers: [{ port: true }] } },
      'json: cannot unmarshal bool into Go struct field Container.spec.containers.port of type int32',
    ],
    [
      { schema: { items: { type: 'string', items: [{ type: 1 }] } } },
      'json: cannot unmarshal number into Go struct field JSONSchemaProps.schema.items.items.type of type string',
    ],
    [
      { spec: { containers: [{ imagePullPolicy: 1 }] } },
      'json: cannot unmarshal number into Go struct field Container.spec.containers.imagePullPolicy of type v1.PullPolicy',
    ],
    [
      { spec: { containers: [{ livenessProbe: { periodSeconds: 'x' } }] } },
      'json: cannot unmarshal string into Go struct field Probe.spec.containers.livenessProbe.periodSeconds of type int32',
    ],
    [
      { spec: { containers: [{ livenessProbe: { grpc: 'x' } }] } },
      'json: cannot unmarshal string into Go struct field Probe.spec.containers.livenessProbe.ProbeHandler.grpc of type v1.GRPCAction',
    ],
    [{ data: { a: 'YWJj', b: '$$' } }, 'illegal base64 data at input byte 0'],
    [{ data: { a: 'YQ==YQ==' } }, 'illegal base64 data at input byte 4'],
    [{ data: { a: 'YQ=' } }, 'illegal base64 data at input byte 3'],
    [{ data: 5 }, 'json: cannot unmarshal number into Go struct field Pod.data of type map[string][]uint8'],
    [{ raw: [1, { any: 'thing' }] }, undefined],
  ])('%j', (object, text) => {
    expect(pod.decodeError(object)).toBe(text);
  });

  it('reports the error of a custom unmarshaler instead of an earlier type error', () => {
    const object = { spec: { containers: [{ name: 1, limits: { cpu: true } }] } };
    expect(pod.decodeError(object)).toMatch(/^quantities must match/);
  });
});

describe('prune of a built-in kind', () => {
  it.each<[name: string, object: JsonObject, pruned: JsonObject, paths: string[]]>([
    [
      'removes and names unknown fields',
      { bar: 1, spec: { foo: 1, containers: [{ name: 'a' }, { x: null }] } },
      { spec: { containers: [{ name: 'a' }, {}] } },
      ['bar', 'spec.foo', 'spec.containers[1].x'],
    ],
    ['drops nulls silently', { spec: { priority: null, nodeSelector: null } }, { spec: {} }, []],
    ['keeps raw extensions', { raw: { a: null } }, { raw: { a: null } }, []],
    [
      'drops fields inside of a schema-or-array silently',
      { schema: { bad: 1, items: { type: 'x', bad: 1 }, properties: { p: { bad: 1 } } } },
      { schema: { items: { type: 'x' }, properties: { p: {} } } },
      ['schema.bad', 'schema.properties.p.bad'],
    ],
    [
      'writes quantities and times as Go would',
      {
        metadata: {
          creationTimestamp: '2024-01-01T02:00:00.5+02:00',
          renewTime: '2024-01-01T00:00:00.1234567Z',
        },
        spec: { containers: [{ limits: { cpu: 1, memory: '0.5' } }] },
      },
      {
        metadata: { creationTimestamp: '2024-01-01T00:00:00Z', renewTime: '2024-01-01T00:00:00.123456Z' },
        spec: { containers: [{ limits: { cpu: '1', memory: '500m' } }] },
      },
      [],
    ],
    [
      'treats names of Object.prototype as unknown fields',
      JSON.parse(
        '{"__proto__": {"a": 1}, "constructor": 1, "metadata": {"labels": {"__proto__": "x"}}}',
      ) as JsonObject,
      JSON.parse('{"metadata": {"labels": {"__proto__": "x"}}}') as JsonObject,
      ['__proto__', 'constructor'],
    ],
  ])('%s', (_, object, pruned, paths) => {
    const copy = deepCopy(object);
    expect(pod.prune(copy)).toEqual(paths);
    expect(copy).toEqual(pruned);
  });
});

describe('prune of a large object of a built-in kind', () => {
  const range = <T>(item: (i: number) => T): T[] => Array.from({ length: 2000 }, (_, i) => item(i));
  const byName = (value: (i: number) => JsonValue): JsonObject =>
    Object.fromEntries(range((i) => [`k${i}`, value(i)]));
  const inNinth = (i: number, more: JsonObject): JsonObject => (i % 9 === 0 ? more : {});

  it.each<[what: string, object: JsonObject]>([
    ['unknown fields', byName((i) => (i % 2 === 0 ? 1 : byName(String)))],
    ['unknown fields of a field', { metadata: { name: 'a', ...byName(() => null) } }],
    [
      'a list',
      { spec: { containers: range((i) => ({ name: 'a', ...inNinth(i, { x: null, port: null }) })) } },
    ],
    [
      'large items',
      { spec: { containers: [byName(() => 1), { limits: byName(Number) }, { limits: { a: 1 } }] } },
    ],
    ['large maps', { schema: { properties: byName((i) => inNinth(i, { properties: { a: { u: 1 } } })) } }],
    [
      'what is removed silently',
      { schema: { items: range((i) => ({ type: 'x', ...inNinth(i, { u: 1 }) })) } },
    ],
    [
      'maps of texts',
      { ...byName(String), metadata: { labels: byName(String) }, raw: byName(() => null), spec: null },
    ],
  ])('has passes with the same result: %s', (_what, object) => {
    const [atOnce, inPasses] = [deepCopy(object), deepCopy(object)];
    const paths = pod.prune(atOnce);
    const passes = pod.pruneInPasses(inPasses);
    expect(passes?.next().done).toBe(false);
    expect(passes && finish(passes)).toEqual(paths);
    expect(inPasses).toEqual(atOnce);
  });

  it('has no passes if it is small', () => {
    expect(pod.pruneInPasses({ spec: { foo: 1 } })).toBeUndefined();
  });
});

describe('an object of a built-in kind fits', () => {
  it.each<[name: string, object: JsonObject, fits: boolean]>([
    ['for an empty object', {}, true],
    [
      'if all fields are known and have their types',
      { kind: 'Pod', metadata: { labels: { a: '' } }, spec: { priority: 1, containers: [{ name: 'a' }] } },
      true,
    ],
    ['not with an unknown field', { spec: { containers: [{ foo: 1 }] } }, false],
    ['not with another type', { metadata: { labels: { a: 1 } } }, false],
    ['not with a list instead of an object', { metadata: [] }, false],
    ['not with null', { spec: null }, false],
    ['not with a null in a list', { spec: { containers: [null] } }, false],
    ['not with a null in a map', { metadata: { labels: { a: null } } }, false],
    ['not with an integer out of range', { spec: { priority: 2147483648 } }, false],
    ['not with a fraction', { spec: { priority: 1.5 } }, false],
    ['not with a time, which has a normal form', { metadata: { creationTimestamp: 'x' } }, false],
    ['not with bytes, which are checked', { data: { a: '!' } }, false],
    ['not with names of Object.prototype', JSON.parse('{"__proto__": {"a": 1}}') as JsonObject, false],
    ['not with a JSON schema, whose unknown fields go without a word', { schema: { items: {} } }, false],
  ])('%s', (_, object, fits) => {
    expect(pod.fits(object)).toBe(fits);
  });

  const value = fc.constantFrom<JsonValue[]>(null, 0, 1.5, '', 'a', true, [], {}, [null], ['a'], [{}]);
  const spec = fc.dictionary(fc.constantFrom('containers', 'nodeSelector', 'priority', 'foo'), value);
  const metadata = fc.dictionary(fc.constantFrom('name', 'labels', 'creationTimestamp'), value);

  it('is true only if decoding reports nothing and changes nothing', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.record({ spec, metadata }), fc.record({ raw: value, data: value })),
        (object) => {
          const copy = deepCopy(object) as JsonObject;
          if (!pod.fits(copy)) return;
          expect(pod.decodeError(copy)).toBeUndefined();
          expect(pod.prune(copy)).toEqual([]);
          expect(copy).toEqual(object);
        },
      ),
      { numRuns: samples(500) },
    );
  });
});

describe('defaults of a built-in kind', () => {
  it('are the zero values of the document, also in added objects', () => {
    const object: JsonObject = { spec: { containers: [{}, null], nodeSelector: { a: null } } };
    pod.applyDefaults(object);
    expect(object).toEqual({
      metadata: {},
      spec: {
        containers: [
          { name: '', protocol: 'TCP' },
          { name: '', protocol: 'TCP' },
        ],
        nodeSelector: { a: '' },
      },
    });
  });

  it('are set in the members of a wide map when its pass runs', () => {
    const nodeSelector: JsonObject = Object.fromEntries(
      Array.from({ length: 2000 }, (_, i) => [`a${i}`, i === 1500 ? null : 'b']),
    );
    noteNames(nodeSelector, Object.keys(nodeSelector));
    const visits = new DividedVisit();
    pod.applyDefaults({ spec: { nodeSelector } }, visits);
    expect(nodeSelector.a1500).toBe(null);
    finish(visits.rest());
    expect(nodeSelector.a1500).toBe('');
    expect(Object.values(nodeSelector).filter((value) => value === 'b')).toHaveLength(1999);
  });

  it('are copies', () => {
    const [a, b]: JsonObject[] = [{}, {}];
    pod.applyDefaults(a as JsonObject);
    pod.applyDefaults(b as JsonObject);
    expect((a as JsonObject).spec).not.toBe((b as JsonObject).spec);
  });
});

describe('the error of an object of many parts', () => {
  const texts = { additionalProperties: { type: 'string' } } as const;
  const schema = compileBuiltin({
    goType: 'v1.Wide',
    properties: new Map<string, SchemaNode>([
      ['a', texts],
      ['b', texts],
    ]),
  });
  const wide = (more: JsonObject = {}): JsonObject => ({
    ...Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`k${i}`, 'x'])),
    ...more,
  });

  it.each<[what: string, value: JsonObject]>([
    ['there is none', { a: wide(), b: wide() }],
    ['of the first field', { a: wide({ no: 1 }), b: wide({ no: [] }) }],
    ['of the last field', { a: wide(), b: wide({ no: [] }) }],
    ['of a field of another type', { a: wide(), b: 'x' }],
  ])('is found in passes: %s', (_what, value) => {
    const passes = schema.decodeErrorInPasses?.(value);
    expect(passes?.next().done).toBe(false);
    expect(passes && finish(passes)).toBe(schema.decodeError(value));
  });

  const containers = (...more: JsonValue[]): JsonObject => ({
    spec: { containers: [...Array.from({ length: 2000 }, () => ({ name: 'a' })), ...more] },
  });

  it.each<[what: string, value: JsonObject]>([
    ['there is none', containers({ livenessProbe: { grpc: { port: 1 } } })],
    ['of an item', containers({ name: 1 })],
    ['of a large item', containers({ ...wide(), name: 1, limits: { ...wide({ k1: '1' }), cpu: true } })],
    [
      'within an item, behind an error of a name',
      containers({ name: 1 }, { livenessProbe: { grpc: { port: 'x' } } }),
    ],
    [
      'of an unmarshaler, which replaces an earlier one',
      containers({ name: 1 }, { limits: { cpu: true } }, 1),
    ],
    ['of a member of a map', { metadata: { labels: { ...wide(), no: 1 } } }],
    ['of a list that is none', { ...containers(), metadata: { labels: [] }, extra: wide() }],
    ['of a list of scalars', { spec: { containers: Array.from({ length: 2000 }, () => 1) } }],
    ['below a schema', { schema: { properties: { a: { properties: wide({ b: {} }) } } } }],
    ['none of unknown fields', { ...wide(), unknown: { a: wide() } }],
  ])('is that of decoding at once: %s', (_what, value) => {
    const passes = pod.decodeErrorInPasses(value);
    expect(passes?.next().done).toBe(false);
    expect(passes && finish(passes)).toBe(pod.decodeError(value));
  });

  it('has no passes in a small one', () => {
    expect(schema.decodeErrorInPasses?.({ a: { b: 'c' } })).toBeUndefined();
  });
});
