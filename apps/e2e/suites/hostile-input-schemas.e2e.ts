import { definitionManifest } from '@annex/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { expectNoHarm, type HostileServer, startHostile, statusOf } from './hostile-server.ts';

const group = 'schemas.example.com';
const path = `/apis/${group}/v1/namespaces/default/multiples`;
const range = <T>(length: number, of: (i: number) => T): T[] => Array.from({ length }, (_, i) => of(i));
const integer = { type: 'integer' };
const listOf = <T>(items: T) => ({ type: 'array', items });

/** Each of these checks looks at much of the schema for each item. */
const spec = {
  type: 'object',
  properties: {
    choices: listOf({
      type: 'object',
      properties: { a: integer },
      oneOf: range(200, (i) => ({ properties: { a: { minimum: i, maximum: i } } })),
    }),
    required: listOf({ type: 'object', properties: { a: integer }, required: range(5000, (i) => `r${i}`) }),
    wide: listOf({
      type: 'object',
      properties: Object.fromEntries(range(1000, (i) => [`f${i}`, integer])),
    }),
    enum: listOf({ type: 'string', enum: range(5000, (i) => `value-${i}`) }),
  },
};

let server: HostileServer;
beforeAll(async () => {
  server = await startHostile();
  const schema = { properties: { spec } };
  await server.makeKind(definitionManifest({ group, kind: 'Multiple', schema }), path);
});
expectNoHarm(() => server);

describe('objects whose checks multiply with their schema', () => {
  it.each([
    ['items of 200 choices', { choices: range(20_000, (i) => ({ a: i % 200 })) }, 201],
    ['items of none of them', { choices: range(20_000, () => ({ a: 999 })) }, 422],
    ['items without 5,000 required fields', { required: range(90_000, () => ({})) }, 422],
    ['items of 1,000 optional fields', { wide: range(90_000, () => ({ f1: 1 })) }, 201],
    ['items of no value of a long enumeration', { enum: range(90_000, () => 'x') }, 422],
  ])('%s do not stop the server', async (_what, of, status) => {
    const body = JSON.stringify({
      apiVersion: `${group}/v1`,
      kind: 'Multiple',
      metadata: { generateName: 'a' },
      spec: of,
    });
    const headers = { 'Content-Type': 'application/json' };
    const [response, ready] = await Promise.all([
      server.ask({ method: 'POST', path, headers, body }),
      server.ask({ path: '/readyz' }),
    ]);
    expect(ready.status).toBe(200);
    expect(response.status, response.text.slice(0, 300)).toBe(status);
    if (status === 422) expect(statusOf(response)).toMatchObject({ reason: 'Invalid' });
  });
});
