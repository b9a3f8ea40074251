import type { Client } from '@annex/client';
import type { JsonObject, KubeObject } from '@annex/machinery';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defineResource } from './define-resource.ts';
import { type ServedResources, serveResources } from './served-resources.fixture.ts';

const teams = defineResource({
  version: 'v1',
  kind: 'Team',
  schema: {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        default: {},
        properties: {
          motto: { type: 'string' },
          size: { type: 'integer' },
          members: {
            type: 'array',
            'x-kubernetes-list-type': 'map',
            'x-kubernetes-list-map-keys': ['name'],
            items: {
              type: 'object',
              required: ['name'],
              properties: { name: { type: 'string', minLength: 1 }, role: { type: 'string' } },
            },
          },
        },
      },
      status: { type: 'object', default: {}, properties: { points: { type: 'integer' } } },
    },
  },
  setDefaults(team) {
    team.spec.size ??= team.spec.members?.length ?? 0;
  },
  storedAs: {
    version: 'v1beta1',
    to: ({ spec, ...rest }) => ({ ...rest, ...spec }),
    from: ({ motto, size, members, ...rest }) => ({ ...rest, spec: { motto, size, members } }) as never,
  },
});

const betaTeams = defineResource({
  version: 'v1beta1',
  kind: 'Team',
  schema: {
    type: 'object',
    properties: { ...teams.schema.properties?.spec?.properties, status: { type: 'object', properties: {} } },
  },
});

const path = '/apis/play.example.com/v1/namespaces/default/teams';

let served: ServedResources;
let admin: Client;

beforeAll(async () => {
  served = await serveResources({ group: 'play.example.com', resources: [teams, betaTeams] });
  admin = served.admin;
});

afterAll(() => served.stop());

interface Response {
  status: number;
  object: JsonObject & KubeObject & { message?: string };
}

async function ask(method: string, at: string, body?: unknown, type = 'application/json'): Promise<Response> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await admin.send({
    method,
    path: at,
    ...(body === undefined ? {} : { headers: { 'content-type': type }, body: text }),
  });
  return { status: response.status, object: JSON.parse(response.body.toString()) as Response['object'] };
}

const patches = {
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
};

describe('a typed kind', () => {
  it('accepts objects without their type, and adds absent structs and defaults', async () => {
    const { status, object } = await ask('POST', path, { metadata: { name: 'red' } });
    expect(status).toBe(201);
    expect(object).toMatchObject({
      kind: 'Team',
      apiVersion: 'play.example.com/v1',
      spec: { size: 0 },
      status: {},
    });
  });

  it.each<[what: string, body: unknown, status: number, complaint: string]>([
    [
      'a value of another type',
      { metadata: { name: 'x' }, spec: { motto: 5 } },
      400,
      'Team in version "v1" cannot be handled as a Team: json: cannot unmarshal number into Go struct field TeamSpec.spec.motto of type string',
    ],
    [
      'another kind',
      { kind: 'Club', metadata: { name: 'x' } },
      400,
      'no kind "Club" is registered for version "play.example.com/v1" in scheme',
    ],
    [
      'another version',
      { apiVersion: 'play.example.com/v1beta1', kind: 'Team', metadata: { name: 'x' } },
      400,
      'the API version in the data (play.example.com/v1beta1) does not match the expected API version (play.example.com/v1)',
    ],
    [
      'a value that violates the schema',
      { metadata: { name: 'x' }, spec: { members: [{ name: '' }] } },
      422,
      'spec.members[0].name: Invalid value: ""',
    ],
    ['no name', { metadata: {} }, 422, 'metadata.name: Required value: name or generateName is required'],
    [
      'a name with a slash',
      { metadata: { name: 'a/b' } },
      422,
      `metadata.name: Invalid value: "a/b": may not contain '/'`,
    ],
  ])('refuses %s', async (_what, body, status, error) => {
    const refused = await ask('POST', path, body);
    expect(refused.status).toBe(status);
    expect(refused.object.message).toContain(error);
  });

  it('accepts any path segment as a name', async () => {
    expect(await ask('POST', path, { metadata: { name: 'The_Blues' } })).toMatchObject({ status: 201 });
    expect(await ask('DELETE', `${path}/The_Blues`)).toMatchObject({ status: 200 });
  });

  it('merges lists by their keys in a strategic merge patch', async () => {
    const first = { members: [{ name: 'ann', role: 'goal' }] };
    await ask('PATCH', `${path}/red`, { spec: first }, patches.merge);
    const { object } = await ask(
      'PATCH',
      `${path}/red`,
      { spec: { members: [{ name: 'bob' }, { name: 'ann', role: 'attack' }] } },
      patches.strategic,
    );
    expect((object.spec as { members: unknown }).members).toEqual([
      { name: 'bob' },
      { name: 'ann', role: 'attack' },
    ]);
  });

  it('records the sender as owner of a field, but nobody for fields that always exist', async () => {
    const sent = { metadata: { name: 'owned' }, spec: { motto: 'go', members: [] } };
    const { object } = await ask('POST', `${path}?fieldManager=me`, sent);
    expect(object.metadata.managedFields?.map(({ manager, fieldsV1 }) => ({ manager, fieldsV1 }))).toEqual([
      { manager: 'me', fieldsV1: { 'f:spec': { 'f:motto': {}, 'f:size': {} } } },
    ]);
  });

  it('omits fields that a conversion leaves empty', async () => {
    const { object } = await ask('GET', `${path.replace('/v1/', '/v1beta1/')}/owned`);
    expect({ ...object, metadata: {} }).toEqual({
      kind: 'Team',
      apiVersion: 'play.example.com/v1beta1',
      metadata: {},
      motto: 'go',
      size: 0,
      status: {},
    });
    expect((await ask('GET', `${path}/owned`)).object.spec).toEqual({ motto: 'go', size: 0 });
  });

  it('writes its status only through the subresource', async () => {
    const status = { points: 3 };
    await ask('PATCH', `${path}/red`, { status }, patches.merge);
    expect((await ask('GET', `${path}/red`)).object.status).toEqual({});
    await ask('PATCH', `${path}/red/status`, { status, spec: { size: 9 } }, patches.merge);
    expect((await ask('GET', `${path}/red`)).object).toMatchObject({ status, spec: { size: 0 } });
  });

  it.each([
    ['GET', `${path}/red/nothing`, 404, 'the server could not find the requested resource'],
    ['PUT', path, 405, 'the server does not allow this method on the requested resource'],
    ['DELETE', path.replace('namespaces/default/', ''), 405, 'the server does not allow this method'],
  ])('%s %s gets %i', async (method, at, status, says) => {
    const response = await ask(method, at);
    expect(response.status).toBe(status);
    expect(response.object.message).toContain(says);
  });

  it('refuses requests for protobuf, because it has no messages', async () => {
    const response = await admin.send({
      method: 'GET',
      path: `${path}/red`,
      headers: { accept: 'application/vnd.kubernetes.protobuf' },
    });
    expect(response.status).toBe(406);
    expect(response.body.toString()).toContain(
      'object *v1.Team does not implement the protobuf marshalling interface and cannot be encoded to a protobuf message',
    );
  });

  it('is empty in a bookmark, except for fields that always exist', async () => {
    const query = 'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
    const at = `${path}?${query}&timeoutSeconds=1&fieldSelector=metadata.name%3Dnone`;
    const { body } = await admin.send({ method: 'GET', path: at });
    expect(JSON.parse(body.toString().split('\n')[0] ?? '')).toMatchObject({
      type: 'BOOKMARK',
      object: { kind: 'Team', spec: {}, status: {} },
    });
  });

  it('is listed with its creation time if it has no columns', async () => {
    const response = await admin.send({
      method: 'GET',
      path,
      headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
    });
    const { columnDefinitions } = JSON.parse(response.body.toString()) as {
      columnDefinitions: { name: string }[];
    };
    expect(columnDefinitions.map(({ name }) => name)).toEqual(['Name', 'Created At']);
  });
});
