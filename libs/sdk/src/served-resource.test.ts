import type { Client } from '@annex/client';
import type { StatusError } from '@annex/machinery';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defineResource } from './define-resource.ts';
import { type ServedResources, serveResources } from './served-resources.fixture.ts';

// Every function would throw if an object violates the schema.
const boats = defineResource({
  version: 'v1',
  kind: 'Boat',
  // A typed kind refuses other types before any function receives them.
  typed: false,
  schema: {
    type: 'object',
    required: ['spec'],
    properties: {
      spec: {
        type: 'object',
        required: ['name'],
        properties: {
          name: { type: 'string', minLength: 1 },
          oars: { type: 'array', maxItems: 8, items: { type: 'string' } },
          crew: { type: 'integer', default: 1 },
        },
        'x-kubernetes-validations': [
          { rule: '!has(self.oars) || size(self.oars) <= self.crew', message: 'too few rowers' },
        ],
      },
      status: { type: 'object', required: ['speed'], properties: { speed: { type: 'integer' } } },
    },
  },
  admit({ spec, status }, _old, request) {
    if (spec.name.trim() === 'Titanic') throw request.forbidden('it sank');
    status?.speed.toFixed();
  },
  prepare(boat) {
    boat.status = { speed: (boat.spec.oars ?? []).reduce((sum, oar) => sum + oar.length, 0) };
  },
  validate: ({ spec, status }) => {
    status?.speed.toFixed();
    spec.name.trim();
    return [];
  },
});

const path = '/apis/sea.example.com/v1/namespaces/default/boats';
const boat = (name: string, content: object) => ({
  apiVersion: 'sea.example.com/v1',
  kind: 'Boat',
  metadata: { name },
  ...content,
});

let served: ServedResources;
let admin: Client;
const refusal = (method: 'POST' | 'PUT' | 'PATCH', at: string, body: unknown): Promise<StatusError> =>
  admin
    .json({
      method,
      path: at,
      body,
      ...(method === 'PATCH' ? { headers: { 'content-type': 'application/merge-patch+json' } } : {}),
    })
    .then(
      () => Promise.reject(new Error('it was allowed')),
      (error: StatusError) => error,
    );

beforeAll(async () => {
  served = await serveResources({ group: 'sea.example.com', resources: [boats] });
  admin = served.admin;
  await admin.json({ method: 'POST', path, body: boat('good', { spec: { name: 'Argo' } }) });
});
afterAll(() => served.stop());

describe('the functions of a definition', () => {
  it.each<[string, object, string]>([
    ['no spec', {}, 'spec: Required value'],
    ['null for a spec', { spec: null }, 'spec: Required value'],
    ['a list for a spec', { spec: [] }, 'spec in body must be of type object: "array"'],
    ['a string for a spec', { spec: 'Argo' }, 'spec in body must be of type object: "string"'],
    ['a missing field', { spec: {} }, 'spec.name: Required value'],
    ['a number for a string', { spec: { name: 5 } }, 'spec.name in body must be of type string: "integer"'],
    [
      'an element of another type',
      { spec: { name: 'x', oars: [7] } },
      'spec.oars[0] in body must be of type string',
    ],
    [
      'two mistakes',
      { spec: { name: '', crew: 'two' } },
      '[spec.name: Invalid value: "": spec.name in body should be at least 1 chars long, spec.crew: Invalid value: "string"',
    ],
  ])('never receive %s', async (_name, content, error) => {
    const refused = await refusal('POST', path, boat('bad', content));
    expect(refused).toMatchObject({ code: 422, reason: 'Invalid' });
    expect(refused.message).toContain(error);
  });

  it('never receive an invalid change', async () => {
    expect(await refusal('PATCH', `${path}/good`, { spec: { name: null } })).toMatchObject({ code: 422 });
    expect(await refusal('PATCH', `${path}/good`, { spec: 'sunk' })).toMatchObject({ code: 422 });
  });

  it('never receive an invalid status, at either endpoint', async () => {
    const made = await admin.json({
      method: 'POST',
      path,
      body: boat('s', { spec: { name: 'S' }, status: 5 }),
    });
    expect(made).toMatchObject({ status: { speed: 0 } });
    const refused = await refusal('PATCH', `${path}/good/status`, { status: { speed: 'full' } });
    expect(refused.message).toContain('speed in body must be of type integer: "string"');
  });

  it('refuse valid objects with custom messages', async () => {
    expect((await refusal('POST', path, boat('t', { spec: { name: 'Titanic' } }))).message).toBe(
      'boats.sea.example.com "t" is forbidden: it sank',
    );
  });
});

describe('the rules of a schema', () => {
  it('are evaluated for new objects and changes', async () => {
    const spec = { name: 'R', oars: ['left', 'right'] };
    const error = 'spec: Invalid value: too few rowers';
    expect((await refusal('POST', path, boat('r', { spec }))).message).toContain(error);
    expect((await refusal('PATCH', `${path}/good`, { spec })).message).toContain(error);
    const rowed = await admin.json({ method: 'POST', path, body: boat('r', { spec: { ...spec, crew: 2 } }) });
    expect(rowed).toMatchObject({ status: { speed: 9 } });
  });
});
