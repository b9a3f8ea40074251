import { expect, expectTypeOf, it } from 'vitest';
import { definePlugin } from './define-plugin.ts';
import type { PluginHandle } from './plugin-handle.ts';

const schema = {
  type: 'object',
  required: ['zone'],
  properties: {
    zone: { type: 'string' },
    weights: { type: 'array', items: { type: 'integer', maximum: 9 }, default: [1] },
  },
} as const;

function received(args: unknown): unknown {
  let result: unknown;
  const definition = definePlugin({
    name: 'Zones',
    args: schema,
    create(valid) {
      expectTypeOf(valid.zone).toEqualTypeOf<string>();
      expectTypeOf(valid.weights).toEqualTypeOf<number[]>();
      result = valid;
      return {};
    },
  });
  definition.create(args, {} as PluginHandle);
  return result;
}

it('arguments have the defaults of the schema, and need no type', () => {
  const typed = { apiVersion: 'example.com/v1', kind: 'ZonesArgs', zone: 'a' };
  expect(received(typed)).toEqual({ zone: 'a', weights: [1] });
  expect(typed).toHaveProperty('kind');
});

it.each<[string, unknown, string]>([
  ['no arguments', undefined, 'args.zone: Required value'],
  [
    'another type',
    { zone: 5 },
    'args.zone: Invalid value: "integer": args.zone in body must be of type string: "integer"',
  ],
  [
    'a high value',
    { zone: 'a', weights: [10] },
    'args.weights[0]: Invalid value: 10: args.weights[0] in body should be less than or equal to 9',
  ],
  ['an unknown field', { zone: 'a', zones: 'b' }, 'unknown field "args.zones"'],
  ['no object', 'zone', 'args: Invalid value: "string": args in body must be of type object: "string"'],
])('%s: the error names the field', (_name, args, text) => {
  expect(() => received(args)).toThrow(text);
});

it.each<[string, object, string]>([
  ['an empty name', { name: '' }, 'name: "" is invalid'],
  ['the name of all plugins', { name: '*' }, 'name: "*" is invalid'],
  ['a schema of another type', { name: 'A', args: { type: 'string' } }, 'args.type: must be object'],
  [
    'a schema that is not structural',
    { name: 'A', args: { type: 'object', properties: { a: {} } } },
    'args.properties[a].type: Required value',
  ],
])('%s is refused', (_name, parts, text) => {
  expect(() => definePlugin({ name: 'A', create: () => ({}), ...parts })).toThrow(text);
});
